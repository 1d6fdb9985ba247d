// Owns the words that `storefront help` prints.

export const help = `npm run storefront -- <command>

  shops [list]                         the shops
  shops create --handle H --name N --currency EUR --time-zone Europe/Berlin
               [--country DE] [--owner-email E] [--plan basic|pro]
  shops show SHOP                      one shop
  keys [list] --shop SHOP              the API keys of a shop
  keys create --shop SHOP --name N [--access read|write]
                                       a new key; its secret is shown this once
  keys revoke ID --shop SHOP
  import FILE --shop SHOP [--format F] [--dry-run]
                                       products, orders and contacts from a CSV file; the format is
                                       recognised by the header; --dry-run reads and writes nothing
  orders [list] --shop SHOP [--status S] [--payment-status P] [--email E] [--limit 25]
  help

SHOP is a handle or an id.

Options
  --url URL     the back office; http://127.0.0.1:$ADMIN_PORT when absent
  -h, --help

The token is taken from ADMIN_TOKEN, else from the data folder (DATA_DIR) of a product started there.
Exit status: 0 all went well, 1 something failed, 2 the command makes no sense.
`
