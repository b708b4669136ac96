"""
What secrets look like: vendors' tokens by how they begin, and all else by a pattern.

Each has a hint that is looked for first, since compiling a pattern costs more than looking, and almost no
line has one. Every pattern is linear: what it repeats is bounded, or cannot begin again inside itself.
"""

from __future__ import annotations

# Kind; how it begins, in these letters; signs that follow besides letters and digits; the least number that do.
# Sources: what the vendors document, and what their scanning partners match.
TOKENS: tuple[tuple[str, tuple[str, ...], str, int], ...] = (
    ("1password-token", ("ops_eyJ",), "_=-", 100),
    ("adafruit-key", ("aio_",), "", 28),
    ("adobe-secret", ("p8e-",), "", 32),
    ("airtable-token", ("pat",), ".", 79),
    ("alibaba-key-id", ("LTAI",), "", 12),
    ("anthropic-key", ("sk-ant-",), "_-", 20),
    ("artifactory-key", ("AKCp",), "", 60),
    ("atlassian-token", ("ATATT3",), "_=-", 60),
    ("bitbucket-password", ("ATBB",), "", 24),
    ("brevo-key", ("xkeysib-", "xsmtpsib-"), "-", 64),
    ("buildkite-token", ("bkua_",), "", 40),
    ("cerebras-key", ("csk-",), "", 40),
    ("circleci-token", ("CCIPAT_",), "_", 40),
    ("clojars-token", ("CLOJARS_",), "", 60),
    ("contentful-token", ("CFPAT-",), "_-", 43),
    ("databricks-token", ("dapi",), "-", 32),
    ("digitalocean-token", ("doo_v1_", "dop_v1_", "dor_v1_"), "", 64),
    ("docker-token", ("dckr_pat_", "dckr_oat_"), "_-", 20),
    ("doppler-token", ("dp.",), ".", 40),
    ("dropbox-token", ("sl.",), "_-", 60),
    ("duffel-token", ("duffel_live_",), "_=-", 40),
    ("dynatrace-token", ("dt0c01.",), ".", 80),
    ("e2b-key", ("e2b_",), "", 40),
    ("easypost-key", ("EZAK",), "", 54),
    ("facebook-token", ("EAA",), "", 90),
    ("fastmail-token", ("fmu1-",), "-", 40),
    ("figma-token", ("figd_",), "_-", 36),
    ("firecrawl-key", ("fc-",), "", 32),
    ("fireworks-key", ("fw_",), "", 24),
    ("flutterwave-key", ("FLWSECK-",), "-", 32),
    ("fly-token", ("fo1_",), "_-", 40),
    ("fly-token", ("FlyV1 fm",), "_+/=,-", 60),
    ("frameio-token", ("fio-u-",), "_=-", 60),
    ("github-token", ("github_pat_",), "_", 60),
    ("github-token", ("gho_", "ghp_", "ghr_", "ghs_", "ghu_"), "", 36),
    ("gitlab-token", ("glcbt-", "gldt-", "glptt-"), "_-", 20),
    ("gitlab-token", ("glpat-", "glrt-"), "_.-", 20),
    ("google-key", ("AIza",), "_-", 35),
    ("google-key", ("AQ.",), "_-", 20),
    ("google-secret", ("GOCSPX-",), "_-", 28),
    ("google-token", ("ya29.",), "_-", 60),
    ("grafana-token", ("glc_",), "_+/=", 32),
    ("grafana-token", ("glsa_",), "_", 40),
    ("groq-key", ("gsk_",), "", 40),
    ("heroku-token", ("HRKU-",), "_-", 36),
    ("hubspot-token", ("pat-na1-", "pat-eu1-"), "-", 36),
    ("huggingface-token", ("api_org_", "hf_"), "", 34),
    ("infracost-key", ("ico-",), "", 32),
    ("jina-key", ("jina_",), "_-", 50),
    ("langsmith-key", ("lsv2_",), "_", 40),
    ("launchdarkly-key", ("sdk-",), "-", 36),
    ("linear-key", ("lin_api_",), "", 40),
    ("mailgun-key", ("key-",), "", 32),
    ("mapbox-token", ("sk.eyJ",), "._-", 60),
    ("matrix-token", ("syt_",), "_", 30),
    ("neon-key", ("napi_",), "", 60),
    ("netlify-token", ("nfp_",), "", 36),
    ("newrelic-key", ("NRAK-",), "", 27),
    ("notion-token", ("ntn_",), "", 40),
    ("notion-token", ("secret_",), "", 43),
    ("npm-token", ("npm_",), "", 36),
    ("ntfy-token", ("tk_",), "", 29),
    ("nvidia-key", ("nvapi-",), "_-", 60),
    ("openshift-token", ("sha256~",), "_-", 43),
    ("paddle-key", ("pdl_",), "_", 50),
    ("paypal-token", ("access_token$",), "$", 40),
    ("perplexity-key", ("pplx-",), "", 40),
    ("pinecone-key", ("pcsk_",), "_", 60),
    ("plaid-token", ("access-development-", "access-production-"), "-", 36),
    ("planetscale-token", ("pscale_",), "_.-", 32),
    ("posthog-key", ("phx_",), "", 40),
    ("postman-key", ("PMAK-",), "-", 50),
    ("prefect-key", ("pnb_", "pnu_"), "", 36),
    ("pulumi-token", ("pul-",), "", 40),
    ("pypi-token", ("pypi-",), "_-", 16),
    ("readme-key", ("rdme_",), "", 70),
    ("render-key", ("rnd_",), "", 28),
    ("replicate-token", ("r8_",), "", 37),
    ("resend-key", ("re_",), "_", 30),
    ("rubygems-key", ("rubygems_",), "", 48),
    ("scaleway-key", ("SCW",), "", 17),
    ("sendgrid-key", ("SG.",), "._-", 60),
    ("sentry-token", ("sntrys_",), "_+/=", 60),
    ("sentry-token", ("sntryu_",), "", 60),
    ("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), "", 32),
    ("slack-token", ("xapp-",), "-", 40),
    ("slack-token", ("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"), "-", 30),
    ("slack-token", ("xoxe",), ".-", 60),
    ("sonarqube-token", ("sqa_", "sqp_", "squ_"), "", 40),
    ("sourcegraph-token", ("sgp_",), "_", 40),
    ("square-token", ("EAAA",), "_-", 60),
    ("square-token", ("sq0atp-",), "_-", 22),
    ("square-token", ("sq0csp-",), "_-", 43),
    ("stripe-key", ("rk_live_", "rk_test_", "sk_live_", "sk_test_"), "", 20),
    ("stripe-secret", ("whsec_",), "+/=", 32),
    ("supabase-token", ("sb_secret_",), "_-", 28),
    ("supabase-token", ("sbp_",), "_", 40),
    ("tailscale-key", ("tskey-",), "-", 30),
    ("tavily-key", ("tvly-",), "-", 32),
    ("tencent-key-id", ("AKID",), "", 32),
    ("twilio-key", ("SK",), "", 32),
    ("twitter-token", ("AAAAAAAAAAAAAAAAAAAAA",), "%", 60),
    ("typeform-token", ("tfp_",), "_-", 50),
    ("vault-token", ("hvb.", "hvr."), "_-", 60),
    ("vault-token", ("hvs.",), "_-", 24),
    ("vercel-token", ("vcp_",), "", 50),
    ("voyage-key", ("pa-",), "_-", 43),
    ("xai-key", ("xai-",), "", 70),
    ("yandex-key", ("AQVN",), "_-", 36),
    ("zuplo-key", ("zpka_",), "_", 40),
)


# Kind; hints in small letters, of which one must occur; the pattern, whose group `secret` is replaced.
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("private key-----", "private key block-----", "static key v1-----"),
        (
            r"(?P<secret>-{0,5}BEGIN [A-Za-z ]{0,30}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)-----"
            r"(?s:.*?)(?:-----END [A-Za-z ]{0,30}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)-----|\Z))"
        ),
    ),
    (
        "private-key",
        ("private-lines:",),
        r"(?ai)private-lines:\s*\d+\s+(?P<secret>[a-z0-9+/=]{16,}(?:\s+[a-z0-9+/=]{4,}(?![\w:-]))*)",
    ),
    ("private-key", ("age-secret-key-",), r"(?ai)(?P<secret>AGE-SECRET-KEY-[A-Z0-9-]{40,})"),
    ("aws-key-id", ("akia", "asia"), r"(?<![A-Za-z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z2-7][A-Z0-9]{15})(?![A-Za-z0-9])"),
    (
        "webhook",
        ("hooks.slack.com", "/api/webhooks/", "webhook.office.com", "hooks.zapier.com", "logic.azure.com"),
        (
            r"(?P<secret>https://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
            r"|(?:\w+\.)?discord(?:app)?\.com/api/webhooks|[\w.-]{0,80}webhook\.office\.com"
            r"|[\w.-]{0,80}logic\.azure\.com(?::443)?/workflows|hooks\.zapier\.com/hooks)/[^\s)>\]\"']+)"
        ),
    ),
    ("url-password", ("://",), r"://[^\s/:@]{0,100}:(?P<secret>[^\s/@]{3,})@"),
    (
        "app-password",
        ("app password", "app-password", "app passwort", "app-passwort", "app-specific password"),
        (
            r"(?ai)app(?:-specific)?[ -]passwor[dt]\b(?: (?:for|für) \w{1,20})?\W{0,3}(?:(?:is|ist)\b\W{0,3})?"
            r"(?P<secret>[a-z]{4}(?:[ -][a-z]{4}){3})\b"
        ),
    ),
    (
        "url-secret",
        ("token=", "secret=", "password=", "passwd=", "sig=", "signature="),
        r"(?ai)[?&;][\w-]{0,40}(?:token|secret|password|passwd|sig|signature)=(?P<secret>[^\s&;#)\]\"'>]{4,})",
    ),
    (
        "url-secret",
        ("key=", "auth="),
        (
            r"(?ai)[?&;](?!(?:cache|sort|primary|foreign|public|partition|index|object|row)[_-])[\w-]{0,40}(?:key|auth)="
            r"(?P<secret>(?=[^\s&#]{0,80}\d)(?=[^\s&#]{0,80}[A-Za-z])[^\s&;#)\]\"'>]{6,})"
        ),
    ),
    (
        "authorization",
        ("authorization",),
        (
            r"(?ai)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"(?:(?:basic|bearer|token|ssws|bot|api-?key|digest|key)\s{1,3})?"
            r"(?P<secret>(?=[A-Za-z0-9._~+/=:-]{0,40}[A-Z0-9])(?=[A-Za-z0-9._~+/=:-]{0,40}[A-Za-z])[A-Za-z0-9._~+/=:-]{12,})"
        ),
    ),
    ("bearer", ("bearer ",), r"(?ai)\bbearer\s+(?P<secret>(?=[A-Za-z0-9._~+/=-]{0,80}\d)[A-Za-z0-9._~+/=-]{16,})"),
    (
        "password",
        ("curl", "wget"),
        (
            r"(?ai)\b(?:curl|wget)\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:"
            r"(?P<secret>(?!\d+\b|\$)[^\s\"']{3,})"
        ),
    ),
    # A name that says what it is of itself, though we know no such vendor.
    (
        "api-key",
        ("live_", "prod_", "secret_", "sk_", "apikey_", "pat_", "token_"),
        (
            r"(?<![A-Za-z0-9_-])(?P<secret>(?=[a-z0-9_]{0,30}(?:live|prod|secret|sk|apikey|pat|token)_)"
            r"(?:[a-z0-9]{1,12}_){1,3}(?=[A-Za-z]{0,30}\d)(?=\d{0,15}[A-Za-z])[A-Za-z0-9]{20,})"
        ),
    ),
    # The library, too, knows these, but not behind every sign.
    (
        "openai-key",
        ("sk-",),
        r"(?<![A-Za-z0-9])(?P<secret>sk-(?=[A-Za-z0-9_-]{0,60}\d)(?:[A-Za-z0-9]{1,12}[_-]){0,8}[A-Za-z0-9]{16,}[A-Za-z0-9_-]{0,400})",
    ),
    ("wifi-password", ("wifi:",), r"(?ai)\bWIFI:[^\n]{0,100}?\bP:(?P<secret>[^\s;]{4,63});"),
    ("twitch-token", ("oauth:",), r"\boauth:(?P<secret>[a-z0-9]{30})\b"),
)

# Tokens without a telltale beginning: looked for where a word is long.
LONG_SHAPES: tuple[tuple[str, str], ...] = (
    ("discord-token", r"(?<![\w.-])(?P<secret>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,})"),
    ("asana-token", r"(?<!\w)(?P<secret>[12]/\d{13,20}(?:/\d{13,20})?:[0-9a-f]{32})\b"),
    ("mailchimp-key", r"(?<![A-Za-z0-9])(?P<secret>[0-9a-f]{32}-us\d{1,2})\b"),
)


# How a name and its value are put together. The name may go on: `token_live`, `PASSWORD2`.
# A set of several signs beyond Latin ones, or of letters without regard to case, takes a millisecond to compile.
SPACE = r"[\s\xa0]"
TAIL = r"s?(?P<tail>[_-]?\d{1,2}(?![a-z0-9])|[_-][a-z0-9_-]{1,20})?(?![a-zäöüß])"
ABOUT = r"(?:\s(?:for|of|to|on|für|zu[mr]?|von|de[lr]?|des|d[ou]|da|pour|para|per|voor|van)\s[^\n:=]{1,40}?)?"
SAYS = (
    rf"(?P<says>(?:[\"'`»]|”)?{SPACE}*(?:=>|:=|==|[:=]|[：-＝])|\\?[\"']\s+value=|>|\s?(?:は|是|就是|为|為)"
    r"|\s(?:(?:now|jetzt|maintenant|ahora|adesso|ora)\s)?"
    r"(?:is|are|was|lautet|ist|est|es|é|è|vale)(?![a-zäöü])"
    r"(?:\s(?:now|jetzt|nun|maintenant|ahora|ora|agora|nu)(?![a-z]))?[:=]?)"
)
BARE = r"(?=[ \t]\S)"
VALUE = (
    rf"{SPACE}*[\"'`«(]{{0,2}}[\u2018-\u201e]?[「-『]?{SPACE}?"
    r"(?P<secret>[!#$%&()*+./0-9:=?@A-Z\\^_a-z{|}~À-ÿ-]{6,})"
)


# A telltale name of a value, in the languages that Daybook speaks: whether the value must look like no word,
# since the name stands in prose as well; hints; the name's pattern.
NAMED: tuple[tuple[bool, tuple[str, ...], str], ...] = (
    (
        False,
        (
            "passw",
            "_pass",
            "passphrase",
            "pwd",
            "kennwort",
            "mot de passe",
            "contraseña",
            "senha",
            "palavra-passe",
            "parola d",
            "wachtwoord",
            "パスワード",
            "暗証",
            "密码",
            "密碼",
            "口令",
        ),
        (
            r"passw(?:or[dt]|d)|passphrase|(?<=_)pass(?=\s?=)|pwd|kennwort"
            r"|mot de passe(?: d['’]application)?|contrase[ñÑ]a|senha"
            r"|palavra-passe|parola d['’]ordine|wachtwoord|パスワード|暗証(?:番号|キー)|密[码碼]|口令"
        ),
    ),
    (
        True,
        (
            "secret",
            "token",
            "jeton",
            "apikey",
            "api key",
            "_key",
            "-key",
            "accesskey",
            "accountkey",
            "privatekey",
            "schlüssel",
            "clé ",
            "clave",
            "chave",
            "chiave",
            "キー",
            "トークン",
            "シークレット",
            "密钥",
            "密鑰",
            "令牌",
        ),
        (
            r"secret|token|jeton(?: d['’][a-zè]{2,12})?|api[_ -]?key|(?:access|account|private|secret)key"
            r"|(?<![a-z0-9])(?!(?:cache|sort|primary|foreign|public|partition|index|idempotency|object|row|unique)[_-])"
            r"[a-z0-9]{1,20}[_-]key|schl[üÜ]ssel"
            r"|cl(?:[éÉ]|ave)(?: (?:de )?(?:api|secr[eè]t[ea]|privée|privada|d['’]api))?"
            r"|cha?i?ve(?: (?:de )?(?:api|secreta|segreta|privada))?|api ?キー|キー|トークン|シークレット|密[钥鑰]|令牌"
        ),
    ),
)
