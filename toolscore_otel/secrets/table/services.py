"""Payments, messages, mail, and other services."""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import decodes_to_object, mixed
from toolscore_otel.secrets.kind import APART, LEFT, OUT_OF_BLOB, Kind, token
from toolscore_otel.secrets.table.alphabets import BASE64, HEX, LOWER, URL, UUID_HEAD, WORD

_DISCORD_DIGITS = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"  # base64 of three decimal digits
_SLACK_HOOK = r"hooks\.slack\.com/(?:services|workflows|triggers)/"
_UUID = f"{UUID_HEAD}{HEX}{{12}}"

SERVICES: tuple[Kind, ...] = (
    token("stripe_secret_key", "Stripe: secret or restricted key", "(?:sk|rk)_(?:live|test)_", WORD, 24, 247, sample=f"sk_live_{WORD}{{99}}"),
    token("stripe_webhook_secret", "Stripe: secret of a webhook", "whsec_", BASE64, 32, 64, end="={0,2}"),
    token("square_token", "Square: token", "sq0atp-", URL, 22),
    token("square_oauth_secret", "Square: OAuth secret", "sq0csp-", URL, 43),
    token("square_access_token", "Square: access token", "EAAA", URL, 60, left=OUT_OF_BLOB, right="[+/=]", prefix="", check=mixed),
    token("braintree_token", "Braintree: access token", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$", HEX, 32, prefix=r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$"),
    token("shopify_token", "Shopify: token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]", 32),
    token("plaid_token", "Plaid: access token", f"access-(?:production|sandbox|development)-{UUID_HEAD}", HEX, 12),
    token("paddle_api_key", "Paddle: API key", f"pdl_(?:live|sdbx)_apikey_{LOWER}{{26}}_{WORD}{{22}}_", WORD, 3),
    token(
        "slack_app_token", "Slack: app-level token", r"xapp-\d-[A-Z0-9]{9,12}-\d{10,14}-", HEX, 64, prefix=r"xapp-\d-[A-Z0-9]",
        reach=140, sample=f"xapp-1-A[0-9]{{10}}-[0-9]{{13}}-{HEX}{{64}}",
    ),
    token("slack_session_cookie", "Slack: cookie of a session", "xoxd-", "[A-Za-z0-9%/+=_-]", 60, 600),
    token("slack_config_token", "Slack: configuration token", r"xoxe(?:\.xox[bp])?-\d-", WORD, 140, 170, prefix=r"xoxe(?:\.xox[bp])?-\d-", reach=200, sample=f"xoxe.xoxp-1-{WORD}{{146}}"),
    token("slack_token", "Slack: token", "xox[bparsoc]-", "[0-9A-Za-z-]", 20, 160, prefix=r"xox[bparsoc]-\d", left=rf"(?<!xoxe\.){LEFT}", sample=f"xoxb-[0-9]{{12}}-[0-9]{{13}}-{WORD}{{24}}"),
    token(
        "slack_webhook", "Slack: address of a webhook", f"(?:https://)?{_SLACK_HOOK}", BASE64, 40, 60,
        prefix=f"https://{_SLACK_HOOK}", sample=f"https://hooks.slack.com/services/T[A-Z0-9]{{10}}/B[A-Z0-9]{{10}}/{WORD}{{24}}",
    ),
    token(
        "discord_bot_token", "Discord: token of a bot",
        rf"(?:{_DISCORD_DIGITS}){{5,6}}(?:[MNO][DTjz][AEIMQUYcgk]|[MNO][AQgw])?\.{URL}{{6}}\.", URL, 27, 40, prefix="", detect=f"(?:{_DISCORD_DIGITS}){{5}}",
    ),
    token("discord_webhook", "Discord: address of a webhook", r"discord(?:app)?\.com/api/webhooks/\d{16,22}/", URL, 60, 80, left="", sample=f"discord.com/api/webhooks/1[0-9]{{18}}/{URL}{{68}}"),
    token(
        "teams_webhook", "Microsoft Teams: address of a webhook",
        rf"\.webhook\.office\.com/webhookb2/{_UUID}@{_UUID}/IncomingWebhook/[0-9a-z]{{32}}/{UUID_HEAD}", HEX, 12,
        left="", prefix=r"\.webhook\.office\.com/webhookb2/", reach=260,
    ),
    token(
        "telegram_bot_token", "Telegram: token of a bot", r"\d{8,10}(?::|%3[Aa])AA", URL, 33,
        left=rf"(?:{LEFT}|(?<=[/\\]bot))", prefix="", sample=f"7[0-9]{{9}}:AA{URL}{{32}}w",
    ),
    token("twilio_api_key_sid", "Twilio: id of an API key", "SK", HEX, 32, prefix="", left=APART),
    token("sendgrid_key", "SendGrid: API key", rf"SG\.{URL}{{22}}\.", URL, 43, prefix=rf"SG\.{URL}{{22}}\."),
    token("mailgun_key", "Mailgun: API key", "key-", HEX, 32, prefix="", left=APART),
    token("mailgun_signing_key", "Mailgun: key of the domain", rf"{HEX}{{32}}-{HEX}{{8}}-", HEX, 8, prefix="", left=APART, detect=f"-{HEX}{{8}}-{HEX}{{8}}", sample=f"{HEX}{{32}}-{HEX}{{8}}-{HEX}{{8}}"),
    token("mailchimp_key", "Mailchimp: API key", rf"{HEX}{{32}}-us", "[0-9]", 1, 2, prefix="", detect=f"{HEX}{{8}}-us[0-9]", left=APART),
    token("brevo_key", "Brevo: API or SMTP key", f"xkeysib-{HEX}{{64}}-", WORD, 16),
    token("brevo_smtp_key", "Brevo: SMTP key", f"xsmtpsib-{HEX}{{64}}-", WORD, 16),
    token("resend_key", "Resend: API key", f"re_{WORD}{{8}}_", WORD, 24, prefix="", left=APART, check=mixed),
    token("notion_token", "Notion: token", r"ntn_\d{11}", WORD, 35, sample=f"ntn_[0-9]{{11}}{WORD}{{35}}"),
    token("linear_key", "Linear: API key", "lin_api_", WORD, 40),
    token("linear_oauth_token", "Linear: OAuth token", "lin_oauth_", HEX, 64),
    token("notion_old_token", "Notion: token of old", "secret_", WORD, 43, prefix="", left=APART, check=mixed),
    token("trello_token", "Trello: token", "ATTA", "[0-9a-f]", 64),
    token("deepl_key", "DeepL: API key", rf"{UUID_HEAD}{HEX}{{12}}:f", "x", 1, prefix="", left=APART, detect=f"{HEX}{{12}}:fx", sample=f"{_UUID}:fx"),
    token("rapidapi_key", "RapidAPI: key", rf"{HEX}{{10}}msh{HEX}{{15}}p1{HEX}{{5}}jsn", HEX, 12, prefix="", left=APART, detect=f"p1{HEX}{{5}}jsn{HEX}{{12}}"),
    token("readme_key", "ReadMe: API key", "rdme_", LOWER, 70),
    token("frameio_token", "Frame.io: token", "fio-u-", URL, 64),
    token("newrelic_license_key", "New Relic: license key", f"{HEX}{{36}}", "[NF]", 1, end="(?:RAL|FFFF)", prefix="", left=APART, detect=f"{HEX}{{8}}NRAL", sample=f"{HEX}{{36}}NRAL"),
    token("adafruit_key", "Adafruit IO: key", "aio_", WORD, 28),
    token("maxmind_key", "MaxMind: license key", f"{WORD}{{6}}_{WORD}{{29}}_", "m", 1, end="mk", prefix="", left=APART, detect=f"{WORD}{{8}}_mmk", sample=f"{WORD}{{6}}_{WORD}{{29}}_mmk"),
    token("onfido_token", "Onfido: API token", rf"api_(?:live|sandbox)(?:_[a-z]{{2}})?\.{URL}{{11}}\.", URL, 32, prefix=r"api_(?:live|sandbox)\.", sample=f"api_live.{WORD}{{11}}.{WORD}{{32}}"),
    token("stytch_secret", "Stytch: secret", "secret-(?:live|test)-", URL, 35, 40, end="={0,2}", prefix="secret-(?:live|test)-", sample=f"secret-live-{WORD}{{36}}="),
    token("gocardless_token", "GoCardless: access token", "live_", URL, 40, prefix="", left=APART, check=mixed),
    token("lob_key", "Lob: API key", "(?:live|test)_", HEX, 35, prefix="", left=APART, sample=f"live_{HEX}{{35}}"),
    token("intra42_secret", "42 Intra: client secret", "s-s4t2(?:ud|af)-", HEX, 64, prefix="s-s4t2(?:ud|af)-", sample=f"s-s4t2ud-{HEX}{{64}}"),
    token("zapier_webhook", "Zapier: address of a webhook", r"hooks\.zapier\.com/hooks/catch/\d{4,12}/", LOWER, 5, 12, left="", prefix=r"hooks\.zapier\.com/hooks/catch/", sample=f"hooks.zapier.com/hooks/catch/1[0-9]{{7}}/{LOWER}{{7}}"),
    token("onepassword_secret_key", "1Password: secret key of an account", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){2}-", "[A-Z0-9]", 5, prefix="", left=APART, check=mixed, sample="A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    token("airtable_pat", "Airtable: personal token", rf"pat{WORD}{{14}}\.", HEX, 64, prefix=""),
    token("figma_token", "Figma: token", "figd_", URL, 40, 46),
    token("dropbox_token", "Dropbox: short-lived token", r"sl\.(?:u\.)?", URL, 130, 2000, prefix="", left=APART, reach=140, sample=f"sl.u.{URL}{{136}}"),
    token("facebook_token", "Facebook: access token", "EAA", WORD, 90, 600, left=OUT_OF_BLOB, right="[+/=]", prefix="", check=mixed),
    token("salesforce_session", "Salesforce: session", f"00D{WORD}{{12}}!", "[A-Za-z0-9._-]", 80, 300, prefix=f"00D{WORD}{{12}}!", end=r"(?<![.])"),
    token("typeform_token", "Typeform: token", "tfp_", URL, 44, 60),
    token("mapbox_secret_token", "Mapbox: secret token", rf"sk\.eyJ{URL}{{40,400}}\.", URL, 22, prefix=r"sk\.eyJ", reach=500, sample=f"sk.eyJ{WORD}{{60}}.{WORD}{{22}}", detect=rf"sk\.eyJ{URL}{{40}}"),
    token("sentry_token", "Sentry: token of a user", "sntryu_", HEX, 64),
    token("sentry_org_token", "Sentry: token of an organization", r"sntrys_eyJ[A-Za-z0-9+/=]{40,400}_", BASE64, 43, reach=500, sample=f"sntrys_eyJ{WORD}{{80}}_{WORD}{{43}}", detect=r"sntrys_eyJ[A-Za-z0-9+/=]{40}"),
    token("newrelic_key", "New Relic: user key", "NRAK-", "[A-Z0-9]", 27),
    token("newrelic_insert_key", "New Relic: insert key", "NRII-", URL, 32),
    token("grafana_token", "Grafana: token of a service account", f"glsa_{WORD}{{32}}_", HEX, 8, check=checksums.grafana),
    token("grafana_cloud_token", "Grafana Cloud: token", "glc_eyJ", "[A-Za-z0-9+/_-]", 60, 400, end="={0,2}", check=decodes_to_object("glc_")),
    token("posthog_personal_key", "PostHog: personal key", "phx_", WORD, 40, 50),
    token("dynatrace_token", "Dynatrace: token", r"dt0[a-z]\d{2}\.[A-Z2-7]{24}\.", "[A-Z2-7]", 64, prefix=r"dt0[a-z]\d{2}\.", sample="dt0c01.[A-Z2-7]{24}.[A-Z2-7]{64}"),
    token("hubspot_token", "HubSpot: token of a private app", f"pat-(?:na|eu|ap)[0-9]-{UUID_HEAD}", HEX, 12, left=APART, sample=f"pat-na1-{UUID_HEAD}{HEX}{{12}}"),
    token("asana_pat", "Asana: personal token", r"[012]/\d{12,19}(?:/\d{12,19})?:", HEX, 32, prefix="", left=APART, sample=f"1/12[0-9]{{14}}:{HEX}{{32}}"),
    token("easypost_key", "EasyPost: API key", "EZ[AT]K", WORD, 54, prefix="EZ[AT]K", sample=f"EZAK{WORD}{{54}}"),
    token("shippo_token", "Shippo: token", "shippo_(?:live|test)_", HEX, 40),
    token("duffel_token", "Duffel: token", "duffel_(?:live|test)_", URL, 43),
    token("flutterwave_secret_key", "Flutterwave: secret key", r"FLWSECK(?:_TEST)?-", "[0-9a-fA-F]", 32, end="-X", sample="FLWSECK-[0-9a-f]{32}-X"),
)  # fmt: skip
