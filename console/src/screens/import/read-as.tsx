// What the person may choose before an import: the format, and for orders what the file does not say. Each choice checks the file again.
import type { ImportFormatName } from '#contracts/input/import'
import { Field } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'
import { formatNames, formatWords } from './formats.ts'
import { paymentMethods } from './report.ts'
import { type Import, type Job, type Options, startImport } from './run.ts'

const { imports: text } = words

/** `job` made the report and holds the file. */
export function ReadAs({ of, job: { shop, file, options } }: { of: Import; job: Job }) {
  const check = (changed: Options) => void startImport({ shop, file, options: changed, dryRun: true, from: of })
  const recognised = of.format === null ? text.notRecognised : text.recognised(formatWords(of.format))
  return (
    <div class="read-as">
      <Field label={text.readAs}>
        <select
          value={options.format ?? ''}
          onChange={({ currentTarget: { value } }) => check(value === '' ? {} : { format: value as ImportFormatName })}
        >
          <option value="">{options.format === undefined ? recognised : text.byHeader}</option>
          {formatNames.map((name) => (
            <option key={name} value={name}>
              {text.formats[name]}
            </option>
          ))}
        </select>
      </Field>
      {of.format === 'shopify-orders' && <OfOrders options={options} check={check} />}
    </div>
  )
}

function OfOrders({ options, check }: { options: Options; check: (changed: Options) => void }) {
  const { createContacts = false, defaultPaymentMethod = 'bank_transfer' } = options
  return (
    <>
      <Field label={text.paymentMethod}>
        <select
          value={defaultPaymentMethod}
          onChange={({ currentTarget: { value } }) =>
            check({ ...options, defaultPaymentMethod: value as NonNullable<Options['defaultPaymentMethod']> })
          }
        >
          {paymentMethods.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <label>
        <input
          type="checkbox"
          checked={createContacts}
          onChange={() => check({ ...options, createContacts: !createContacts })}
        />{' '}
        {text.createContacts}
      </label>
    </>
  )
}
