// The text of `storefront help`.

export const help = `npm run storefront -- <command>

  shops [list]                         the shops
  shops create --handle H --name N --currency EUR --time-zone Europe/Berlin
               [--country DE] [--owner-email E] [--plan basic|pro]
  shops show SHOP                      one shop
  keys [list] --shop SHOP              the API keys of a shop
  keys create --shop SHOP --name N [--access read|write]
                                       a new key; its secret is shown this once
  keys revoke ID --shop SHOP
  import FILE --shop SHOP [--format F] [--dry-run] [--create-contacts]
              [--default-payment-method M]
                                       products, orders and contacts from a CSV file; the format is
                                       recognised by the header; --dry-run tells what would be and
                                       writes nothing; --create-contacts makes contacts of buyers;
                                       M is of orders that do not tell how they were paid
  export products|orders|contacts --shop SHOP [--format ndjson|csv] [--out FILE]
                                       all of a list, newest first: objects as the API shows them, or
                                       a table in the columns of Shopify's export, which can be imported
  orders [list] --shop SHOP [--status S] [--payment-status P] [--email E] [--limit 25]
  webhooks [list] --shop SHOP          the webhook endpoints of a shop
  webhooks create URL --shop SHOP [--events LIST] [--description D]
                                       a new endpoint; its secret is shown this once
  webhooks test ID --shop SHOP [--event order.paid]
                                       sends a made-up event now and shows the answer
  webhooks replay ID --shop SHOP --from TIME [--to TIME] [--events LIST] [--which all|failed|held|missed]
                                       sends the events of that time again; Ctrl-C leaves it running
  listen --shop SHOP [--forward-to URL] [--events LIST]
                                       shows every new event, and sends it to a server of your own,
                                       signed; Ctrl-C ends it
  trigger EVENT --shop SHOP            a made-up event to every enabled endpoint; where there is none,
                                       prints it
  help

LIST is names, families or everything: order.paid,booking.* or *. TIME is 2026-08-12T09:30:00Z.
SHOP is a handle or an id.

Options
  --url URL     the back office; http://127.0.0.1:$ADMIN_PORT when absent
  -h, --help

The token is taken from ADMIN_TOKEN, else from the data folder (DATA_DIR) of a product started there.
Exit status: 0 all went well, 1 something failed, 2 the command makes no sense.
`
