// The content security policy of the reference pages: everything from this host, no inline script, no eval. Scalar puts four style
// elements of its own into the page, which are allowed by their hash, and sets style attributes, whose values follow from the content
// (docs/decisions/0024-reference-bundle.md).

// Of scalar.js at the version in assets/NOTICE.md; the browser names a hash that is missing here.
const scalarStyles = [
  'sha256-d7niGYA9R/xp7r1pyc/+3ntTepKCabnrqd2exao76s4=', // all components
  'sha256-DLlkYCuDYGe6ME23YkUFB7Tc36rGDeo4mVBFbZX3uaU=', // notices
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', // of the notices' library, while still empty
  'sha256-ZW1GSuo0pKyEx5Ar7ZC5Dflb/mjatjeTW9aVx0iZAzE=', // and then
  'sha256-rO+6k1mDRASa9Q8IQu9I3bF+bjRdxDreAZCyGSaxzeI=', // the theme
]

export const policy = [
  "default-src 'self'",
  "script-src 'self'",
  `style-src-elem 'self' ${scalarStyles.map((hash) => `'${hash}'`).join(' ')}`,
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
