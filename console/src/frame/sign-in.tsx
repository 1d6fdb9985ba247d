// The sign-in: a one-time link signs in by itself, a token is typed, and the button of the OpenID provider is there where one is set.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Field, Form } from '../parts/form.tsx'
import { words } from '../words/en.ts'
import { address } from './address.ts'
import { pageFacts } from './page-facts.ts'
import { OPEN_ID_PATH, signIn } from './session.ts'
import { useStore } from './store.ts'
import { useTitle } from './title.ts'

const text = words.signIn

export function SignIn({ hasEnded, notice = null }: { hasEnded: boolean; notice?: ComponentChildren }) {
  const [token, setToken] = useState('')
  const { search } = useStore(address) // Where to go afterwards.
  useTitle(text.title)
  return (
    <main class="sign-in">
      <h1>{text.title}</h1>
      {hasEnded && <p class="notice">{text.hasEnded}</p>}
      {notice}
      <p>{text.link}</p>
      <Form
        submit={text.submit}
        send={async () => {
          await signIn({ token: token.trim() })
        }}
      >
        <Field label={text.token} hint={text.tokenHint}>
          <input
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </Field>
      </Form>
      {pageFacts.signInByOpenId && (
        <p>
          <a class="button" href={OPEN_ID_PATH + search}>
            {text.openId}
          </a>
        </p>
      )}
      <section class="help">
        <h2>{text.without}</h2>
        <p>{text.withoutHow}</p>
        <pre>{text.command}</pre>
      </section>
    </main>
  )
}
