{{/* Names, labels, and the facts of each service that are no matter of taste. */}}

{{- define "storefront.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What selects all pods of this release. */}}
{{- define "storefront.selector" -}}
app.kubernetes.io/name: storefront
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "storefront.labels" -}}
{{ include "storefront.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "storefront.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "storefront.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{ .Values.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.host -}}
{{ ternary "https" "http" .Values.ingress.tls.enabled }}://{{ .Values.ingress.host }}
{{- end -}}
{{- end -}}

{{- define "storefront.secrets" -}}
{{ default (printf "%s-secrets" (include "storefront.fullname" .)) .Values.secrets.existingSecret }}
{{- end -}}

{{- define "storefront.databaseSecret" -}}
{{ ternary (printf "%s-postgresql" (include "storefront.fullname" .)) .Values.database.existingSecret .Values.database.inCluster.enabled }}
{{- end -}}

{{/* As services/<name>/service.ts has it: who keeps rows, listens, mails, calls the internet, needs the back-office token. */}}
{{- define "storefront.facts" -}}
auth: { database: true }
catalog: { database: true }
orders: { database: true }
contacts: { database: true, mail: true }
subscriptions: { database: true }
webhooks: { database: true, mail: true, internet: true }
rest-gateway: { port: 3000 }
mcp-gateway: { port: 3000 }
admin-gateway: { port: 3100, adminToken: true }
{{- end -}}

{{- define "storefront.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "storefront.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* A peer list of a policy: the given one, or anywhere. */}}
{{- define "storefront.to" -}}
{{- if . }}
to:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
