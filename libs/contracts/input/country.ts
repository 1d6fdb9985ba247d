// Country codes of ISO 3166-1 alpha-2, and the English names that import files use for them:
// docs/spec/imports.md#countries. Codes and names come from the package i18n-iso-countries; only its English file is
// loaded, since the package itself loads 78 languages.
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

// Names that the package does not know or gives to another country. A name that means several countries (Korea, Channel
// Islands) stands nowhere.
const additionalNames = {
  AG: 'Antigua',
  BA: 'Bosnia',
  BN: 'Brunei',
  BO: 'Bolivia, Plurinational State of',
  BQ: 'Caribbean Netherlands',
  CC: 'Cocos Islands | Keeling Islands',
  CD: 'Congo, Democratic Republic of the | Congo - Kinshasa | DR Congo | DRC | Zaire',
  CG: 'Congo | Congo, Republic of the | Congo - Brazzaville',
  CM: 'Republic of Cameroon',
  CN: 'Mainland China | PRC',
  CV: 'Cabo Verde',
  DE: 'Federal Republic of Germany',
  FK: 'Falkland Islands',
  FM: 'Micronesia',
  FO: 'Faeroe Islands',
  GB: 'Britain | England | Scotland | Wales | Northern Ireland | United Kingdom of Great Britain and Northern Ireland',
  GR: 'Hellas',
  HK: 'Hong Kong SAR | Hong Kong SAR China',
  HM: 'Heard and McDonald Islands',
  IE: 'Eire | Republic of Ireland',
  IR: 'Iran, Islamic Republic of',
  KN: 'Saint Kitts | Saint Kitts-Nevis',
  KP: "Democratic People's Republic of Korea | Korea, Democratic People's Republic of | Korea, North | DPRK",
  KR: 'Korea, South | ROK',
  LA: 'Laos | Lao',
  LY: 'Libyan Arab Jamahiriya',
  MD: 'Moldova | Republic of Moldova',
  MF: 'Saint Martin',
  MK: 'Macedonia | Macedonia, the former Yugoslav Republic of | FYROM',
  MM: 'Burma | Myanmar (Burma)',
  MO: 'Macau | Macao SAR | Macao SAR China',
  NL: 'Holland | Kingdom of the Netherlands',
  PS: 'Palestine, State of | Palestinian Territories | Palestinian Territory | Palestinian Territory, Occupied',
  SH: 'Saint Helena, Ascension and Tristan da Cunha',
  SX: 'Sint Maarten | Saint Martin (Dutch part)',
  SY: 'Syria',
  SZ: 'Swaziland',
  TF: 'French Southern and Antarctic Lands',
  TL: 'East Timor',
  TR: 'Republic of Turkey',
  TT: 'Trinidad',
  TZ: 'Tanzania, United Republic of',
  UM: 'U.S. Outlying Islands',
  US: 'America',
  VA: 'Vatican City | Vatican City State | Vatican | Holy See',
  VC: 'Saint Vincent',
  VE: 'Venezuela, Bolivarian Republic of',
  VG: 'British Virgin Islands',
  VI: 'U.S. Virgin Islands | United States Virgin Islands',
  WS: 'Western Samoa',
  ZA: 'Republic of South Africa | RSA',
}

const { XK: _notInIso3166, ...packageNames } = english.countries // The package adds Kosovo under a code of its own.
const codes = new Set(Object.keys(packageNames))
const codeByName = new Map<string, string>()
for (const [code, names] of Object.entries<string | string[]>(packageNames)) {
  for (const name of [names].flat()) codeByName.set(normalized(name), code)
}
for (const [code, names] of Object.entries(additionalNames)) {
  for (const name of names.split(' | ')) codeByName.set(normalized(name), code)
}

/** Whether the text is an assigned code, in upper case. */
export function isCountry(code: string): boolean {
  return codes.has(code)
}

/** The code of a country's English name (`Czech Republic`, `EIRE`, `RSA`), or null for any other text. */
export function countryFromName(name: string): string | null {
  return codeByName.get(normalized(name)) ?? null
}

// Letters only, without case, accents, articles and short forms: what two spellings of one name share.
function normalized(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\bthe\b/g, '')
    .replace(/\bst\b/g, 'saint')
    .replace(/[^\p{L}]/gu, '')
}
