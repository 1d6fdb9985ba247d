{{/* What the pods of services, of the migration and of the smoke test have in common: placement, command, files. */}}

{{/* Where a pod may run, and its security. Takes the values of a service. */}}
{{- define "storefront.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .podSecurityContext | nindent 2 }}
{{- end -}}

{{/* Node with a program. NODE_OPTIONS of the image bounds the heap for limits of up to 4 GiB. Takes own and program. */}}
{{- define "storefront.command" -}}
{{- $flags := list -}}
{{- $limit := include "storefront.mebibytes" (dig "limits" "memory" "" .own.resources) | int -}}
{{- if gt $limit 4096 }}{{ $flags = list (printf "--max-old-space-size=%d" (div $limit 2)) }}{{ end -}}
{{- concat (list "node") $flags .own.nodeOptions (list .program) | toJson -}}
{{- end -}}

{{/* A quantity such as 4Gi in MiB; 0 for none. */}}
{{- define "storefront.mebibytes" -}}
{{- $units := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- $unit := ternary (regexFind "[A-Za-z]*$" (toString .)) "" (kindIs "string" .) -}}
{{- divf (mulf (trimSuffix $unit (toString .) | float64) (get $units $unit | default 0.0)) 1048576.0 | floor | int -}}
{{- end -}}

{{/* The secrets with files for TLS and credentials, each as a volume with its files. Takes root, service and own. */}}
{{- define "storefront.connectionFiles" -}}
{{- $database := .root.Values.database -}}
{{- $nats := .root.Values.nats.files -}}
{{- if and .service.schema (not $database.inCluster.enabled) }}
{{- include "storefront.filesOf" (dict "name" "postgresql" "setting" "DATABASE" "files" $database.files "secret" .own.databaseFilesSecret "creds" "") }}
{{- end }}
{{- if .service.name }}
{{- include "storefront.filesOf" (dict "name" "nats" "setting" "NATS" "files" $nats "secret" .own.natsFilesSecret "creds" (default $nats.creds .own.natsCreds)) }}
{{- end }}
{{- end -}}

{{- define "storefront.filesOf" -}}
{{- $secret := default .files.existingSecret .secret -}}
{{- $items := list -}}
{{- range $name, $key := dict "CA" .files.ca "CERT" .files.cert "KEY" .files.key "CREDS" .creds -}}
{{- if $key }}{{ $items = append $items (dict "key" $key "path" (printf "%s_%s_FILE" $.setting $name)) }}{{ end -}}
{{- end -}}
{{- if and $secret $items }}
- {{ dict "name" .name "secret" $secret "items" $items | toJson }}
{{- end }}
{{- end -}}

{{/* An environment with extraEnv, which replaces variables of the same names. Takes env (as text) and own. */}}
{{- define "storefront.withExtraEnv" -}}
{{- $names := list -}}
{{- range .own.extraEnv }}{{ $names = append $names .name }}{{ end -}}
{{- $env := list -}}
{{- range .env | fromYamlArray }}{{ if not (has .name $names) }}{{ $env = append $env . }}{{ end }}{{ end -}}
{{- concat $env .own.extraEnv | toYaml -}}
{{- end -}}

{{- define "storefront.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.secrets.asFiles }}
- { name: secrets, mountPath: /etc/storefront, readOnly: true }
{{- end }}
{{- range include "storefront.connectionFiles" . | fromYamlArray }}
- { name: {{ .name }}, mountPath: /etc/{{ .name }}, readOnly: true }
{{- end }}
{{- with .own.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Takes root, service, own, settings (the secret ones) and tmp (a size). */}}
{{- define "storefront.volumes" -}}
{{- if .root.Values.secrets.asFiles }}
{{- include "storefront.secretFiles" .settings }}
{{- end }}
{{- range include "storefront.connectionFiles" . | fromYamlArray }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items:
      {{- range .items }}
      - { key: {{ .key | quote }}, path: {{ .path }} }
      {{- end }}
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: {{ .tmp }} }
{{- with .own.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
