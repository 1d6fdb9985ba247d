{{/* The environment of one service. Takes root, name, facts and own (its values). */}}
{{- define "storefront.environment" -}}
{{- $root := .root -}}
{{- range $key, $value := merge (deepCopy .own.env) $root.Values.env }}
- { name: {{ $key }}, value: {{ $value | toString | quote }} }
{{- end }}
- { name: OPS_PORT, value: "9100" }
- { name: DATA_DIR, value: /tmp/data }
{{- if .facts.port }}
- { name: {{ ternary "ADMIN_PORT" "PORT" (default false .facts.adminToken) }}, value: {{ .facts.port | quote }} }
{{- end }}
{{- with include "storefront.publicUrl" $root }}
- { name: PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- if and .facts.port $root.Values.trustedProxies }}
- { name: TRUSTED_PROXIES, value: {{ $root.Values.trustedProxies | quote }} }
{{- end }}
- name: NATS_URL
  {{- if $root.Values.nats.inCluster.enabled }}
  value: nats://{{ include "storefront.fullname" $root }}-nats:4222
  {{- else }}
  valueFrom:
    secretKeyRef: { name: {{ $root.Values.nats.existingSecret }}, key: {{ $root.Values.nats.key }} }
  {{- end }}
- name: SECRET_KEY
  valueFrom:
    secretKeyRef: { name: {{ include "storefront.secrets" $root }}, key: SECRET_KEY }
- name: SECRET_KEY_PREVIOUS
  valueFrom:
    secretKeyRef: { name: {{ include "storefront.secrets" $root }}, key: SECRET_KEY_PREVIOUS, optional: true }
{{- if .facts.adminToken }}
- name: ADMIN_TOKEN
  valueFrom:
    secretKeyRef: { name: {{ include "storefront.secrets" $root }}, key: ADMIN_TOKEN }
{{- end }}
{{- if .facts.database }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "storefront.databaseSecret" $root }}
      key: {{ ternary "DATABASE_URL" (default $root.Values.database.key .own.databaseKey) $root.Values.database.inCluster.enabled }}
{{- end }}
{{- if and .facts.mail $root.Values.smtp.existingSecret }}
- name: SMTP_URL
  valueFrom:
    secretKeyRef: { name: {{ $root.Values.smtp.existingSecret }}, key: {{ $root.Values.smtp.key }} }
{{- end }}
{{- end -}}
