// "Views": the filters that the operator keeps under a name (docs/spec/operators-and-roles.md#views).
import { useState } from 'preact/hooks'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { words } from '../../words/en.ts'
import { DropDown } from '../drop-down.tsx'
import { Field, Form } from '../form.tsx'
import { Shown } from '../state.tsx'

const MOST = 50
const text = words.views

/** `path`: the list with its present filters. */
export function ViewsMenu({ path }: { path: string }) {
  return (
    <DropDown label={text.button} isRight>
      {() => <Views path={path} />}
    </DropDown>
  )
}

function Views({ path }: { path: string }) {
  const [name, setName] = useState('')
  const views = useLoad('views', async (signal) => (await firstPage(api.views.list({ limit: MOST }, { signal }))).data)
  const keep = async () => {
    await api.views.save(name, { path })
    setName('')
    await views.reload()
  }
  return (
    <div class="views">
      <Shown of={views} rows={2}>
        {(kept) =>
          kept.length === 0 ? (
            <p class="soft">{text.none}</p>
          ) : (
            <ul>
              {kept.map((view) => (
                <li key={view.name}>
                  <a href={view.path} aria-current={view.path === path}>
                    {view.name}
                  </a>
                  <Remove name={view.name} removed={views.reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <Form submit={text.keep} send={keep}>
        <Field label={text.name} hint={text.hint}>
          <input required maxLength={64} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
      </Form>
    </div>
  )
}

function Remove({ name, removed }: { name: string; removed: () => Promise<void> }) {
  const [hasFailed, setFailed] = useState(false)
  const remove = async () => {
    try {
      await api.views.delete(name)
      await removed()
    } catch {
      setFailed(true)
    }
  }
  return (
    <>
      {hasFailed && <span role="alert">{text.notRemoved}</span>}
      <button type="button" class="remove" aria-label={text.remove(name)} onClick={() => void remove()}>
        <span aria-hidden="true">×</span>
      </button>
    </>
  )
}
