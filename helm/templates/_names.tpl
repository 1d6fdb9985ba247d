{{/* Names, labels, and what the registry of services says of each. */}}

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

{{/* The labels that select all pods of this release. */}}
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

{{/* The metadata of an object. Takes root, name (behind the release's name; empty for none) and component (empty for none). */}}
{{- define "storefront.metadata" -}}
name: {{ include "storefront.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "storefront.labels" .root | nindent 2 }}
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
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
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
https://{{ first .Values.httpRoute.hostnames }}
{{- end -}}
{{- end -}}

{{- define "storefront.serviceAccount" -}}
{{ default (include "storefront.fullname" .) .Values.serviceAccount.name }}
{{- end -}}

{{- define "storefront.secrets" -}}
{{ default (printf "%s-secrets" (include "storefront.fullname" .)) .Values.secrets.existingSecret }}
{{- end -}}

{{/* The secret with the URL of a service, or of the migration. Takes root and own (its values). */}}
{{- define "storefront.databaseSecret" -}}
{{- if .root.Values.database.inCluster.enabled -}}
{{ include "storefront.fullname" .root }}-postgresql
{{- else -}}
{{ default .root.Values.database.existingSecret .own.databaseSecret }}
{{- end -}}
{{- end -}}

{{/* The registry of services, a copy of deploy/services.json. An entry of .Values.services that it does not name is refused. */}}
{{- define "storefront.services" -}}
{{- $registry := .Files.Get "services.json" -}}
{{- $names := list -}}
{{- range fromJsonArray $registry }}{{ $names = append $names .name }}{{ end -}}
{{- range $name, $_ := .Values.services -}}
{{- if not (has $name $names) }}{{ fail (printf "services.%s: there is no such service; there are %s" $name (join ", " $names)) }}{{ end -}}
{{- end -}}
{{- $registry -}}
{{- end -}}

{{/* The names of all services, or of those that `need` something or that listen on the port of `setting`; comma-separated. */}}
{{- define "storefront.serviceNames" -}}
{{- $names := list -}}
{{- $need := default "" .need -}}
{{- $setting := default "" .setting -}}
{{- range include "storefront.services" .root | fromJsonArray -}}
{{- if and (or (not $need) (has $need .needs)) (or (not $setting) (and .port (eq .port.setting $setting))) -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- $names | sortAlpha | join ", " -}}
{{- end -}}

{{/* The public paths, each with the type and the gateway of the ingress. */}}
{{- define "storefront.publicPaths" -}}
{{- range $path := list "/api/v1" "/docs" "/opt-in" "/s" }}
- { path: {{ $path }}, type: Prefix, service: rest-gateway }
{{- end }}
{{- range $path := list "/" "/openapi.json" }}
- { path: {{ $path }}, type: Exact, service: rest-gateway }
{{- end }}
- { path: /api/mcp, type: Prefix, service: mcp-gateway }
{{- if .Values.agents.enabled }}
{{- range $path := list "/oauth" "/.well-known/oauth-protected-resource/api/mcp" "/.well-known/oauth-authorization-server" }}
- { path: {{ $path }}, type: Prefix, service: mcp-gateway }
{{- end }}
{{- end }}
{{- end -}}

{{/* The values of one service: the defaults, then its entry in the registry, then .Values.services.<name>. */}}
{{- define "storefront.serviceValues" -}}
{{- $given := index .root.Values.services .service.name | default dict -}}
{{- include "storefront.overridden" (dict "root" .root "registered" (dict "autoscaling" .service.autoscaling) "given" $given) -}}
{{- end -}}

{{/* The defaults of pods with what is registered and given instead; a field of a security context that is null is left out. */}}
{{- define "storefront.overridden" -}}
{{- $own := mergeOverwrite (deepCopy .root.Values.defaults) .registered (deepCopy .given) -}}
{{- range $name := list "podSecurityContext" "containerSecurityContext" -}}
{{- range $field, $value := index $.given $name | default dict -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset (index $own $name) $field }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{/* A selector of the pods of services, as policies use it. Takes root and names, comma-separated. */}}
{{- define "storefront.podsOf" -}}
podSelector:
  matchLabels:
    {{- include "storefront.selector" .root | nindent 4 }}
  matchExpressions:
    - { key: app.kubernetes.io/component, operator: In, values: [{{ .names }}] }
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

{{/* The destinations of an egress rule: the given peers, or anywhere. */}}
{{- define "storefront.to" -}}
{{- if . }}
to:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The replicas that run, where the manifest must name them although an autoscaler sets them: without the field Helm takes away the fixed
number that it set before, and the Deployment falls to one replica. Once named it stays, which an annotation remembers. Nothing for a
release that began with autoscaling, and without a cluster. Takes root and name. */}}
{{- define "storefront.keptReplicas" -}}
{{- $namespace := .root.Release.Namespace -}}
{{- with lookup "apps/v1" "Deployment" $namespace .name -}}
{{- $scaler := lookup "autoscaling/v2" "HorizontalPodAutoscaler" $namespace $.name -}}
{{- $keda := lookup "autoscaling/v2" "HorizontalPodAutoscaler" $namespace (printf "keda-hpa-%s" $.name) -}}
{{- if or (not (or $scaler $keda)) (hasKey (.metadata.annotations | default dict) "storefront/replicas") -}}
{{- .spec.replicas | int -}}
{{- end -}}
{{- end -}}
{{- end -}}
