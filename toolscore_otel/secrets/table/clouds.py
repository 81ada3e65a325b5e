"""Clouds, hosting, databases and what runs on them."""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import decodes_to_object, mixed
from toolscore_otel.secrets.kind import APART, LEFT, OUT_OF_BLOB, Kind, token
from toolscore_otel.secrets.table.alphabets import BASE64, HEX, LOWER, URL, UUID_HEAD, WORD

_STORAGE = r"(?:\+ASt|ACDb|\+ABa|\+AMC|APIM)"
_MESSAGING = r"(?:\+ASb|\+AEh|\+ARm|AIoT|AZEG|AzCa)"
_BLOB = "[+/=]"

CLOUDS: tuple[Kind, ...] = (
    token("aws_access_key_id", "AWS: id of an access key", "(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z2-7]", 16),
    token(
        "aws_session_token", "AWS: token of a session", "(?:IQoJb3JpZ2luX2Vj|FwoGZXIvYXdz)", BASE64, 100, 8000,
        end="={0,2}", left=OUT_OF_BLOB,
    ),
    token(
        "aws_bedrock_api_key", "AWS Bedrock: long-lived API key", "ABSK", BASE64, 109, 269, end="={0,2}",
        left=OUT_OF_BLOB, prefix="ABSKQmVkcm9ja0FQSUtleS", check=mixed,
        sample=f"ABSKQmVkcm9ja0FQSUtleS{BASE64}{{110}}A=",
    ),
    token(
        "aws_bedrock_short_key", "AWS Bedrock: short-lived API key", "bedrock-api-key-", "[A-Za-z0-9+/_-]", 60, 4000,
        end="={0,2}",
    ),
    token("aws_appsync_key", "AWS AppSync: API key", "da2-", LOWER, 26, left=APART),
    token("aws_mws_token", "Amazon MWS: auth token", rf"amzn\.mws\.{UUID_HEAD}", HEX, 12),
    token("gcp_api_key", "Google Cloud: API key", "AIza", URL, 35),
    token("google_oauth_client_secret", "Google OAuth: client secret", "GOCSPX-", URL, 28),
    token("google_oauth_access_token", "Google OAuth: access token", r"ya29\.(?:c\.)?", URL, 30, 4000, prefix=r"ya29\.", sample=f"ya29.{URL}{{60}}"),
    token("google_oauth_refresh_token", "Google OAuth: refresh token", "1(?://|%2[Ff]%2[Ff])0", URL, 60, 200, prefix="1//0"),
    token("gemini_api_key", "Google Gemini: API key", r"AQ\.Ab8RN6", URL, 44),
    token(
        "azure_storage_or_cosmos_key", "Azure Storage, Cosmos DB, Batch, API Management: account key",
        f"{BASE64}{{76}}{_STORAGE}", BASE64, 5, end="[AQgw]==", detect=f"{_STORAGE}{BASE64}{{5}}[AQgw]=",
        prefix="", sample=f"{BASE64}{{76}}+ASt{BASE64}{{5}}A==", left=OUT_OF_BLOB,
    ),
    token(
        "azure_messaging_key", "Azure Service Bus, Event Hubs, Relay, IoT, Event Grid, Redis: key",
        f"{BASE64}{{33}}{_MESSAGING}[A-P]", BASE64, 5, end="=(?!=)", detect=f"{_MESSAGING}[A-P]{BASE64}{{5}}=",
        prefix="", sample=f"{BASE64}{{33}}+ASbA{BASE64}{{5}}=", left=OUT_OF_BLOB,
    ),
    token(
        "azure_function_key", "Azure Functions: key", f"{URL}{{44}}AzFu", URL, 5, end="[AQgw]==",
        detect=f"AzFu{URL}{{5}}[AQgw]=", prefix="", sample=f"{WORD}{{44}}AzFu{WORD}{{5}}A==",
    ),
    token(
        "azure_search_key", "Azure AI Search: key", f"{WORD}{{42}}AzSe[A-D]", WORD, 5, prefix="", right=_BLOB,
        detect=f"AzSe[A-D]{WORD}{{5}}", left=OUT_OF_BLOB,
    ),
    token(
        "azure_container_registry_key", "Azure Container Registry: key", rf"{BASE64}{{42}}\+ACR[A-D]", BASE64, 5,
        prefix="", right="[=]", detect=rf"\+ACR[A-D]{BASE64}{{5}}", left=OUT_OF_BLOB,
    ),
    token(
        "azure_cask_key", "Azure OpenAI, AI services, DevOps: common annotated key",
        f"{WORD}{{52}}JQQJ9[9DH]{WORD}[A-L]{WORD}{{16}}[A-Za-z]", WORD, 7, end=f"(?:{WORD}{{2}}==)?", prefix="",
        detect=f"JQQJ9[9DH]{WORD}[A-L]{WORD}{{16}}[A-Za-z]{WORD}{{7}}", reach=140, left=OUT_OF_BLOB,
        sample=f"{WORD}{{52}}JQQJ99{WORD}{{1}}A{WORD}{{16}}b{WORD}{{7}}",
    ),
    token(
        "azure_ad_client_secret", "Microsoft Entra: client secret", "[A-Za-z0-9_~.-]{3}[78]Q~", "[A-Za-z0-9_~.-]", 31, 34,
        prefix="", sample=f"{WORD}{{3}}8Q~{WORD}{{34}}", detect="[78]Q~[A-Za-z0-9_~.-]{30}", end=r"(?<!\.)",
    ),
    token("alibaba_access_key_id", "Alibaba Cloud: id of an access key", "LTAI", WORD, 12, 24, sample=f"LTAI5t{WORD}{{18}}", check=mixed),
    token("digitalocean_token", "DigitalOcean: token", "do[opr]_v1_", HEX, 64, prefix="do[opr]_v1_", sample=f"dop_v1_{HEX}{{64}}"),
    token("heroku_api_key", "Heroku: API key", "HRKU-AA", URL, 58),
    token("cloudflare_token", "Cloudflare: API token", "cf(?:ut|at|k)_", WORD, 48, check=checksums.hex_of_body),
    token("cloudflare_origin_ca", "Cloudflare: origin CA key", rf"v1\.0-{HEX}{{24}}-", HEX, 146, reach=200),
    token("vercel_token", "Vercel: token", "vc[parik]_", WORD, 56, prefix="vc[parik]_", sample=f"vcp_{WORD}{{56}}"),
    token("netlify_token", "Netlify: token", "nfp_", WORD, 36, 40),
    token("fly_token", "Fly.io: macaroon", "(?:fm2|fm1[ar])_", BASE64, 100, 4000, end="={0,3}", prefix="fm(?:2|1[ar])_"),
    token("fly_access_token", "Fly.io: access token", "fo1_", URL, 43),
    token("render_api_key", "Render: API key", "rnd_", WORD, 28),
    token("zuplo_api_key", "Zuplo: API key", "zpka_", "[a-z0-9_]", 40, 64),
    token("cloudsmith_api_key", "Cloudsmith: API key", "csa_", LOWER, 40, 48, left=APART),
    token("akamai_token", "Akamai EdgeGrid: client or access token", r"akab-[a-z0-9]{16}-", LOWER, 16),
    token("gcp_hmac_key_id", "Google Cloud: id of an HMAC key", "GOOG1[A-Z]", "[A-Z0-9]", 55, 57, prefix="GOOG1", sample="GOOG1E[A-Z0-9]{55}"),
    token("yandex_cloud_key", "Yandex Cloud: API key", "AQVN", URL, 35, 38, check=mixed),
    token("tencent_secret_id", "Tencent Cloud: id of an access key", "AKID", WORD, 32, 48, check=mixed),
    token("scaleway_access_key", "Scaleway: id of an access key", "SCW", "[A-Z0-9]", 17, prefix="", left=APART, check=mixed),
    token("vercel_storage_token", "Vercel Blob: read-write token", f"vercel_blob_rw_{WORD}{{16}}_", WORD, 24, 48),
    token("prefect_key", "Prefect: API key", "pn[ub]_", WORD, 36, prefix="pn[ub]_", sample=f"pnu_{WORD}{{36}}"),
    token("tigris_secret_key", "Tigris: secret access key", "tsec_", "[A-Za-z0-9_+/-]", 58, 64),
    token("infracost_key", "Infracost: API key", "ico-", WORD, 32, left=APART),
    token("octopus_deploy_key", "Octopus Deploy: API key", "API-", "[A-Z0-9]", 25, 32, prefix="", left=APART, check=mixed),
    token("dynatrace_platform_token", "Dynatrace: platform token", r"dt0s\d{2}\.[A-Z2-7]{8}\.", "[A-Z2-7]", 64, prefix=r"dt0s\d{2}\.", sample="dt0s16.[A-Z2-7]{8}.[A-Z2-7]{64}"),
    token("defined_networking_key", "Defined Networking: API key", "dnkey-[a-z0-9=_-]{26}-", "[a-z0-9=_-]", 52, sample=f"dnkey-{LOWER}{{26}}-{LOWER}{{52}}"),
    token("supabase_key", "Supabase: secret key", "sb_secret_", URL, 31),
    token("supabase_access_token", "Supabase: personal token", "sbp_(?:v0_)?", HEX, 40, sample=f"sbp_{HEX}{{40}}"),
    token("deno_token", "Deno Deploy: token", "dd[po]_", WORD, 36, prefix="", left=APART, check=mixed, sample=f"ddp_{WORD}{{36}}"),
    token("yandex_oauth_token", "Yandex: OAuth token", "y0_", URL, 50, 80, prefix="", left=APART, check=mixed),
    token("yandex_iam_token", "Yandex Cloud: IAM token", rf"t1\.{URL}{{40,400}}={{0,2}}\.", URL, 86, end="={0,2}", prefix="", left=APART, reach=520, detect=rf"t1\.{URL}{{40}}", sample=f"t1.{WORD}{{60}}.{WORD}{{86}}"),
    token("localstack_token", "LocalStack: auth token", rf"ls-{WORD}{{8}}-(?:{WORD}{{4}}-){{3}}", WORD, 12, prefix="", left=APART, check=mixed, sample=f"ls-{WORD}{{8}}-{WORD}{{4}}-{WORD}{{4}}-{WORD}{{4}}-{WORD}{{12}}"),
    token("scalingo_token", "Scalingo: API token", "tk-us-", URL, 48, left=APART),
    token("convex_deploy_key", "Convex: deploy key", r"(?:prod|dev|preview):[a-z0-9-]{3,40}\|", "[A-Za-z0-9+/_-]", 40, 300, end="={0,2}", prefix="", left=APART, detect=r"[0-9a-z]\|[A-Za-z0-9+/_-]{40}", sample=f"prod:happy-otter-123|{WORD}{{60}}"),
    token("upstash_redis_token", "Upstash Redis: REST token", f"A{URL}{{3}}AAI[nj]cD", WORD, 48, 80, end="={0,2}", prefix="", left=OUT_OF_BLOB, sample=f"A{WORD}{{3}}AAIncD{WORD}{{52}}"),
    token("volcengine_access_key", "Volcengine: id of an access key", "AKLT", WORD, 36, 80, left=OUT_OF_BLOB, right="[+/=]", check=mixed),
    token("xata_api_key", "Xata: API key", "xau_", WORD, 36, 48, prefix="", left=APART, check=mixed),
    token("bitwarden_access_token", "Bitwarden Secrets Manager: access token", rf"0\.{UUID_HEAD}{HEX}{{12}}\.{WORD}{{30}}:", BASE64, 22, end="==", prefix="", detect=rf"0\.{UUID_HEAD}{HEX}{{8}}", sample=f"0.{UUID_HEAD}{HEX}{{12}}.{WORD}{{30}}:{WORD}{{22}}=="),
    token("neon_api_key", "Neon: API key", "napi_", LOWER, 64),
    token("planetscale_credential", "PlanetScale: token or password", "pscale_(?:tkn|oauth|pw)_", "[A-Za-z0-9_.=-]", 32, 64, end=r"(?<!\.)", sample=f"pscale_tkn_{WORD}{{43}}"),
    token("mongodb_atlas_sa_secret", "MongoDB Atlas: secret of a service account", "mdb_sa_sk_", URL, 40),
    token("databricks_oauth_secret", "Databricks: OAuth secret", "dose", HEX, 32),
    token("databricks_token", "Databricks: token", "dapi", HEX, 32, end=r"(?:-\d)?"),
    token("cockroach_api_key", "CockroachDB: API key", f"CCDB1_{WORD}{{22}}_", WORD, 40),
    token(
        "terraform_cloud_token", "HCP Terraform: token", rf"{WORD}{{14}}\.atlasv1\.", "[A-Za-z0-9_=-]", 60, 70, prefix="",
        detect=r"\.atlasv1\.[A-Za-z0-9_=-]{60}", reach=120,
    ),
    token("vault_token", "HashiCorp Vault: token", r"hv[sbr]\.", URL, 24, 300, prefix=r"hv[sbr]\.", sample=f"hvs.{WORD}{{90}}"),
    token(
        "doppler_token", "Doppler: token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?", WORD, 40, 44,
        prefix=r"dp\.(?:pt|st|ct|sa|scim|audit)\.", sample=f"dp.pt.{WORD}{{43}}",
    ),
    token("pulumi_token", "Pulumi: token", "pul-", HEX, 40, left=APART),
    token("tailscale_key", "Tailscale: key", f"tskey-(?:api|auth|client|scim|webhook)-{WORD}{{12,24}}-", WORD, 26, 40),
    token(
        "onepassword_service_token", "1Password: token of a service account", "ops_eyJ", "[A-Za-z0-9+/_-]", 160, 4000,
        end="={0,3}", check=decodes_to_object("ops_"), reach=170,
    ),
    token(
        "age_secret_key", "age: secret key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]", 58,
        check=checksums.bech32,
    ),
    token("docker_swarm_token", "Docker Swarm: join token", "SWMTKN-1-[a-z0-9]{50}-", LOWER, 25),
    token("docker_swarm_unlock_key", "Docker Swarm: unlock key", "SWMKEY-1-", BASE64, 43),
    token("openshift_token", "OpenShift: token", "sha256~", URL, 43, check=mixed, left=LEFT),
)  # fmt: skip
