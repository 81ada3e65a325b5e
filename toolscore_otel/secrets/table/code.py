"""Code hosts, package registries and what builds."""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import gitlab, mixed
from toolscore_otel.secrets.kind import APART, OUT_OF_BLOB, Kind, token
from toolscore_otel.secrets.table.alphabets import HEX, LOWER, URL, WORD

_GITLAB = "(?:glpat|gldt|glrt|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct|glrtr|glwt)-"

CODE: tuple[Kind, ...] = (
    token("github_token_classic", "GitHub: token", "gh[pousr]_", WORD, 36, check=checksums.github, prefix="gh[pousr]_"),
    token(
        "github_app_token", "GitHub: installation token of an app", rf"ghs_\d{{1,12}}_eyJ{URL}{{10,400}}\.{URL}{{10,2000}}\.",
        URL, 20, 700, detect=rf"ghs_\d{{1,12}}_eyJ{URL}{{10}}", prefix=r"ghs_\d{1,12}_eyJ",
        sample=f"ghs_[1-9]{{7}}_eyJ{WORD}{{33}}.eyJ{WORD}{{60}}.{WORD}{{86}}",
    ),
    token("github_fine_grained_pat", "GitHub: fine-grained personal token", f"github_pat_{WORD}{{22}}_", WORD, 59),
    token(
        "gitlab_token", "GitLab: token", _GITLAB, URL, 20, 300, check=gitlab,
        end=r"(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9}(?![0-9a-z]))?",
    ),
    token("gitlab_runner_token", "GitLab: registration token of runners", "GR1348941", URL, 20),
    token(
        "atlassian_api_token", "Atlassian: API token", f"(?:ATATT3xFfGF0|ATCTT3xFfGN0){URL}{{80,800}}=", "[0-9A-F]", 8,
        check=checksums.hex_of_all_before, prefix="AT[AC]TT3xFfG[FN]0", reach=840,
        detect=f"(?:ATATT3xFfGF0|ATCTT3xFfGN0){URL}{{80}}",
    ),
    token("bitbucket_app_password", "Bitbucket: app password", f"ATBB{WORD}{{24}}", "[0-9A-F]", 8, check=checksums.hex_of_all_before),
    token("npm_token", "npm: token", "npm_", WORD, 36, check=checksums.github),
    token(
        "pypi_token", "PyPI: token", "pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)", URL, 50, 1000, prefix="pypi-AgE[IN]",
    ),
    token("rubygems_key", "RubyGems: API key", "rubygems_", HEX, 48),
    token("nuget_key", "NuGet: API key", "oy2", "[a-z2-7]", 43, prefix="", check=mixed, left=APART),
    token("dockerhub_token", "Docker Hub: token", "dckr_[po]at_", URL, 27, 32, prefix="dckr_[po]at_", sample=f"dckr_pat_{WORD}{{27}}"),
    token(
        "artifactory_key", "Artifactory: API key", "AKCp", WORD, 69, check=checksums.artifactory, left=OUT_OF_BLOB,
        right="[+/=]",
    ),
    token(
        "artifactory_reference_token", "Artifactory: reference token", "cmVmdGtu", WORD, 54, 60, left=OUT_OF_BLOB,
        end="={0,2}", right="[+/=]",
    ),
    token("circleci_token", "CircleCI: token", f"CCIP(?:AT|RJ)_{WORD}{{22}}_", HEX, 40, prefix="CCIP(?:AT|RJ)_", sample=f"CCIPAT_{WORD}{{22}}_{HEX}{{40}}"),
    token("buildkite_token", "Buildkite: token", "bk(?:ua|aa|pat|ct|at|rt|m)_", "[A-Za-z0-9_-]", 40, 80, left=APART, sample=f"bkua_{HEX}{{40}}", check=mixed),
    token("sonar_token", "SonarQube: token", "sq[upa]_", HEX, 40, prefix="sq[upa]_", sample=f"squ_{HEX}{{40}}"),
    token(
        "harness_token", "Harness: token", rf"(?:pat|sat)\.{URL}{{22}}\.{HEX}{{24}}\.", WORD, 20, prefix="", left=APART,
        sample=f"pat.{WORD}{{22}}.{HEX}{{24}}.{WORD}{{20}}",
    ),
    token("postman_key", "Postman: API key", f"PMAK-{HEX}{{24}}-", HEX, 34),
    token("contentful_pat", "Contentful: personal token", "CFPAT-", URL, 43),
    token("launchdarkly_key", "LaunchDarkly: SDK or API key", f"(?:sdk|api)-{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-", HEX, 12, prefix="", left=APART),
    token("crates_io_token", "crates.io: token", "cio", WORD, 32, prefix="", left=APART, check=mixed),
    token("jetbrains_token", "JetBrains Hub, YouTrack, TeamCity: permanent token", r"perm[:-][A-Za-z0-9+/=_-]{4,80}\.[A-Za-z0-9+/=_-]{4,80}\.", WORD, 30, prefix="", left=APART, reach=220, detect="perm[:-][A-Za-z0-9+/=_-]{4}", check=mixed, sample=f"perm:{WORD}{{12}}.{WORD}{{8}}.{WORD}{{30}}"),
    token("mergify_key", "Mergify: application key", "mka_", WORD, 40, prefix="", left=APART, check=mixed),
    token("snyk_token", "Snyk: token", rf"snyk_[us]at\.{HEX}{{8}}\.", URL, 20, 400, prefix=r"snyk_[us]at\.", sample=f"snyk_uat.{HEX}{{8}}.{WORD}{{60}}"),
    token("thunderstore_token", "Thunderstore: token", "tss_", WORD, 34, prefix="", left=APART, check=mixed),
    token("checkly_key", "Checkly: API key", "cu_", HEX, 32, prefix="", left=APART),
    token("clojars_token", "Clojars: deploy token", "CLOJARS_", LOWER, 60),
    token("sourcegraph_token", "Sourcegraph: token", "sgp_(?:[a-fA-F0-9]{16}_|local_)?", HEX, 40, prefix="sgp_", sample=f"sgp_{HEX}{{40}}"),
)  # fmt: skip
