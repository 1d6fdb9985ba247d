// Owns the version numbers that travel on the wire.
// Spec: Versioning, rules 1, 3 and 5.

export const SERVICE_VERSION = '2026-08-12' // Header `service-version` on every REST response.
export const EVENT_VERSION = 1 // `version` in every webhook body.
