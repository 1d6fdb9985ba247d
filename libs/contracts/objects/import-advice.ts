// What a person does about each problem of an import, by its code: the column `advice` of the file of all problems, and the words
// beside the problems in the console. docs/spec/imports.md#problems

export const importAdvice = {
  // Of the whole file.
  encoding: 'Save the file as "CSV UTF-8" and import it again.',
  quoting: 'Close the quotation mark of the cell that begins at this line.',
  empty_file: 'Export the file again: it has no header row.',
  missing_column: 'Export the file again with the columns that are missing.',
  unknown_format: 'Choose the format, or export the file again with the columns of one of the known formats.',
  file_too_large: 'Split the file into smaller ones.',
  too_many_records: 'Split the file into smaller ones.',
  cell_too_large: 'Shorten the cell.',
  currency_mismatch: "Import amounts in the shop's own currency only.",
  count_mismatch: 'Import the same file again, and report this problem if it comes back.',
  interrupted: 'Import the same file again: what is there already stays unchanged.',
  server_error: 'Import the same file again after a while: what is there already stays unchanged.',
  cancelled: 'Import the same file again if the rest shall be written as well.',
  // Of rows and keys.
  row_shape: 'Put cells that hold the delimiter into quotation marks.',
  bad_text: 'Remove the invisible character from the row.',
  no_key: 'Fill in the column that identifies the object.',
  damaged_id: 'Format the column as text before you save the file, so that no digits are lost.',
  weak_key: 'Export the file with IDs or SKUs, so that a changed name is still the same object.',
  no_ids: 'Nothing to do, if SKUs and names stay as they are; else export the file with its IDs.',
  duplicate_key: 'Remove the row, or give it a key of its own.',
  no_identity: 'Add an email address or a phone number.',
  merged: 'Nothing to do, if both rows are the same person.',
  missing_value: 'Fill in the cell.',
  too_large: 'Shorten the texts of the object.',
  not_storable: 'Correct the values of the object; one of them is outside of what can be stored.',
  invalid_request: 'Correct the value that the message of the import names.',
  conflict: 'Import the file again.',
  failed: 'Correct the object and import the file again.',
  skipped: 'Nothing to do, if the object may stay out.',
  // Of values.
  bad_boolean: 'Write true or false.',
  bad_number: 'Write a whole number.',
  bad_date: 'Write the date as 2026-08-12 09:30:00.',
  bad_country: 'Write the two letters of the country, or its English name.',
  bad_email: 'Correct the email address.',
  email_taken: 'Nothing to do, if the other contact is another person; else merge the rows.',
  phone_taken: 'Nothing to do, if the other contact is another person; else merge the rows.',
  bad_phone: 'Write the phone number with its country code, such as +44 20 7946 0958.',
  money: 'Write the amount as 1234.50, without a currency sign.',
  money_precision: 'Write no more decimals than the currency has.',
  money_mismatch: 'Correct the amounts, so that the lines, discount, shipping and tax come to the total.',
  subtotal_differs: 'Nothing to do, if the total is right.',
  // Of products.
  no_price: 'Fill in the price.',
  negative_stock: 'Nothing to do, if nothing is in stock.',
  no_stock_column: 'Set the stock after the import, or export a file with the quantities.',
  sku_line_break: 'Nothing to do, if the SKU on one line is right.',
  title_differs: 'Write the same title in every row of the product.',
  too_many_tags: 'Remove formatting from the description.',
  duplicate_variant: 'Give the variant other options, or remove the row.',
  too_many_variants: 'Split the product into several ones.',
  unknown_parent: 'Add the row of the product to which the variation belongs.',
  no_values: 'List the values of the attribute on the product.',
  not_sold_here: 'Nothing to do: products of this type cannot be sold here.',
  // Of orders and refunds.
  unknown_status: 'Set the status of the order after the import.',
  payment_method_guessed: 'Choose the payment method for such orders when you import the file.',
  no_fulfilled_at: 'Nothing to do, if the time of the last change is near enough.',
  no_shipped_at: 'Fill in when the order was shipped.',
  several_coupons: 'Nothing to do, if the first code is enough.',
  refund_exceeds_total: 'Correct the refunded amount: it is more than the total.',
  refund_mismatch: 'Correct the payment status or the refunded amount: one contradicts the other.',
  too_many_lines: 'Split the order into several ones.',
  service_code: 'Nothing to do: the line is no product.',
  no_description: 'Fill in the description, if the line shall count.',
  no_quantity: 'Write a quantity above zero, if the line shall count.',
  no_lines: 'Nothing to do, if the order may stay out.',
  no_contact: 'Fill in the customer of the refund.',
  no_order: 'Import the order first, then this file again.',
} as const

export type ProblemCode = keyof typeof importAdvice

/** What to do about a problem; one that a newer service has found may have a code without advice. */
export function adviceOf(code: string): string {
  return (importAdvice as Record<string, string>)[code] ?? importAdvice.failed
}
