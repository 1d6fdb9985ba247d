// Renders the OpenAPI document of this host into the page, with Scalar. Nothing is asked of another host: no fonts, no telemetry, no
// proxy, no agent.

// Zod, a part of Scalar, otherwise tries whether it may compile code from text, which the content security policy forbids.
globalThis.__zod_globalConfig = { jitless: true }

document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideTestRequestButton: true, // Its editor makes style elements whose text no list of hashes can hold.
    hideDarkModeToggle: true, // Light or dark as the other pages are: as the system says.
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    documentDownloadType: 'json',
  })
})
