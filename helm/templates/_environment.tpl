{{/* The environment of one service. Takes root, service (its registry entry) and own (its values). */}}
{{- define "storefront.environment" -}}
{{- $root := .root -}}
{{- range $key, $value := merge (deepCopy .own.env) $root.Values.env }}
- { name: {{ $key }}, value: {{ $value | toString | quote }} }
{{- end }}
- { name: OPS_PORT, value: "9100" }
- { name: DATA_DIR, value: /tmp/data }
{{- with .service.port }}
- { name: {{ .setting }}, value: {{ .number | quote }} }
{{- end }}
{{- with include "storefront.publicUrl" $root }}
- { name: PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- if and .service.port $root.Values.trustedProxies }}
- { name: TRUSTED_PROXIES, value: {{ $root.Values.trustedProxies | quote }} }
{{- end }}
{{- with $root.Values.tracing }}
{{- if .endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER, value: {{ .sampler | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .ratio | quote }} }
{{- end }}
{{- end }}
{{- with $root.Values.console }}
{{- if and .url (or (has "adminToken" $.service.needs) (eq $.service.name "auth") (and $root.Values.agents.enabled (eq $.service.name "mcp-gateway"))) }}
- { name: CONSOLE_URL, value: {{ .url | quote }} }
{{- end }}
{{- if and .oidc.issuer (has "adminToken" $.service.needs) }}
- { name: OIDC_ISSUER, value: {{ .oidc.issuer | quote }} }
- { name: OIDC_CLIENT_ID, value: {{ .oidc.clientId | quote }} }
{{- end }}
{{- end }}
{{- if and $root.Values.agents.enabled (eq .service.name "mcp-gateway") }}
{{- $_ := required "agents.enabled needs console.url" $root.Values.console.url }}
- { name: MCP_OAUTH, value: "true" }
{{- with $root.Values.agents.redirectHosts }}
- { name: MCP_OAUTH_CLIENT_HOSTS, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- include "storefront.connectionSettings" . }}
{{- range include "storefront.secretSettings" . | fromYamlArray }}
{{- include "storefront.secretSetting" (dict "root" $root "setting" .) }}
{{- end }}
{{- end -}}

{{/* The settings that name the files of storefront.connectionFiles. Takes what that takes. */}}
{{- define "storefront.connectionSettings" -}}
{{- range $volume := include "storefront.connectionFiles" . | fromYamlArray }}
{{- range .items }}
- { name: {{ .path }}, value: /etc/{{ $volume.name }}/{{ .path }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* The secret settings of one service, each with its secret and key. Takes what storefront.environment takes. */}}
{{- define "storefront.secretSettings" -}}
{{- $root := .root -}}
{{- $keys := include "storefront.secrets" $root -}}
{{- if $root.Values.nats.inCluster.enabled }}
- { name: NATS_URL, secret: {{ include "storefront.fullname" $root }}-nats, key: NATS_URL_{{ .service.name | upper | replace "-" "_" }} }
{{- else }}
- { name: NATS_URL, secret: {{ default $root.Values.nats.existingSecret .own.natsSecret | quote }}, key: {{ default $root.Values.nats.key .own.natsKey | quote }} }
{{- end }}
- { name: SECRET_KEY, secret: {{ $keys | quote }}, key: SECRET_KEY }
{{- if or (not $root.Values.secrets.asFiles) $root.Values.secrets.announcing }}
- { name: SECRET_KEY_NEXT, secret: {{ $keys | quote }}, key: SECRET_KEY_NEXT, optional: {{ not $root.Values.secrets.announcing }} }
{{- end }}
{{- if or (not $root.Values.secrets.asFiles) $root.Values.secrets.rotating }}
- { name: SECRET_KEY_PREVIOUS, secret: {{ $keys | quote }}, key: SECRET_KEY_PREVIOUS, optional: {{ not $root.Values.secrets.rotating }} }
{{- end }}
{{- if has "adminToken" .service.needs }}
- { name: ADMIN_TOKEN, secret: {{ $keys | quote }}, key: ADMIN_TOKEN }
{{- if or (not $root.Values.secrets.asFiles) $root.Values.secrets.rotatingAdminToken }}
- { name: ADMIN_TOKEN_PREVIOUS, secret: {{ $keys | quote }}, key: ADMIN_TOKEN_PREVIOUS, optional: {{ not $root.Values.secrets.rotatingAdminToken }} }
{{- end }}
{{- end }}
{{- if and (has "adminToken" .service.needs) $root.Values.console.oidc.issuer }}
- { name: OIDC_CLIENT_SECRET, secret: {{ $keys | quote }}, key: OIDC_CLIENT_SECRET }
{{- end }}
{{- if .service.schema }}
- name: DATABASE_URL
  secret: {{ include "storefront.databaseSecret" . | quote }}
  key: {{ ternary "DATABASE_URL" (default $root.Values.database.key .own.databaseKey) $root.Values.database.inCluster.enabled | quote }}
{{- $direct := default $root.Values.database.directKey .own.databaseDirectKey }}
{{- if and $direct (not $root.Values.database.inCluster.enabled) }}
- { name: DATABASE_DIRECT_URL, secret: {{ include "storefront.databaseSecret" . | quote }}, key: {{ $direct | quote }} }
{{- end }}
{{- end }}
{{- if and (has "mail" .service.needs) $root.Values.smtp.existingSecret }}
- { name: SMTP_URL, secret: {{ $root.Values.smtp.existingSecret | quote }}, key: {{ $root.Values.smtp.key | quote }} }
{{- end }}
{{- with $root.Values.tracing }}
{{- if and .endpoint .existingSecret }}
- { name: OTEL_EXPORTER_OTLP_HEADERS, secret: {{ .existingSecret | quote }}, key: {{ .key | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* One secret setting in an environment: a reference to its secret, or the path of its file. */}}
{{- define "storefront.secretSetting" -}}
{{- if .root.Values.secrets.asFiles }}
- { name: {{ .setting.name }}_FILE, value: /etc/storefront/{{ .setting.name }} }
{{- else }}
- name: {{ .setting.name }}
  valueFrom:
    secretKeyRef:
      name: {{ .setting.secret }}
      key: {{ .setting.key }}
      {{- if .setting.optional }}
      optional: true
      {{- end }}
{{- end }}
{{- end -}}

{{/* A volume with one file for each secret setting, readable by the group of the pod only. Takes a list of settings. */}}
{{- define "storefront.secretFiles" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      - secret:
          name: {{ .secret }}
          items:
            - { key: {{ .key }}, path: {{ .name }} }
      {{- end }}
{{- end -}}
