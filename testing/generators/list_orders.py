"""Lists all orders with what openapi-python-client made of a document: PACKAGE URL CREDENTIAL [SHOP]."""

import importlib
import sys

package, url, credential, *shop = sys.argv[1:]
client = importlib.import_module(package).AuthenticatedClient(base_url=url, token=credential)
operation = importlib.import_module(f"{package}.api.orders.{'orders_list' if shop else 'list_orders'}")
cursor: dict[str, str] = {}
while True:
    page = operation.sync(*shop, client=client, limit=2, **cursor)
    for order in page.data:
        print(order.id)
    if not page.has_more:
        break
    cursor = {"cursor": page.next_cursor}
