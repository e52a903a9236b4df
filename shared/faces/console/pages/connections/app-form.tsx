import { useRef } from 'preact/hooks'
import type { App } from '../../../../api/resources/app.ts'
import { call } from '../../api/client.ts'
import { apiRoot } from '../../api/root.ts'
import { server } from '../../api/server.ts'
import type { Manifest } from '../../api/server.ts'
import { useAction } from '../../api/use-api.ts'
import { Button, CodeBlock } from '../../ui/basics.tsx'
import { ProblemBox } from '../../ui/states.tsx'

type Props = { integration: Manifest; type: Manifest['connections'][number]; app: App; onSaved(): void }

/** The callback URL to which the provider redirects browsers; it must be registered there exactly like this. */
const callbackOf = (callback: string) =>
  `${server.value?.publicUrl ?? `${location.origin}${apiRoot.replace(/\/v1\/$/, '')}`}${callback}`

const names = ['key', 'secret', 'clientId', 'clientSecret'] as const
const titles = {
  key: 'App key',
  secret: 'App secret',
  clientId: 'Client id (if different)',
  clientSecret: 'Client secret (if different)',
}

const isSecret = (name: string) => /secret/i.test(name)

/**
 * Key and secrets of our app at the provider. Values go from the inputs into the request and nowhere else; secrets are
 * cleared afterwards.
 */
export const AppForm = ({ integration, type, app, onSaved }: Props) => {
  const form = useRef<HTMLFormElement>(null)
  const { run, busy, problem } = useAction(async () => {
    const entries = [...new FormData(form.current!)].filter(([, value]) => value !== '')
    for (const input of form.current!.querySelectorAll<HTMLInputElement>('input[type=password]')) input.value = ''
    await call('PUT', `apps/${encodeURIComponent(integration.id)}`, { body: Object.fromEntries(entries) })
    onSaved()
  })
  const callback = type.app?.callback
  const shown = type.flow === 'oauth-2.0' ? names : names.slice(0, 2)
  return (
    <form
      ref={form}
      class="cn-fields"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <h3>{app.key === null ? 'First, set up your app' : 'Change the app'}</h3>
      <p>
        {integration.title} connects accounts through an app that you register at the provider once.
        {callback && ' Register it with this redirect address:'}
      </p>
      {callback && <CodeBlock label="Redirect address" text={callbackOf(callback)} />}
      {shown.map((name) => (
        <label key={name}>
          {titles[name]}
          {isSecret(name) ? (
            <input name={name} type="password" required={name === 'secret'} autocomplete="off" />
          ) : (
            <input name={name} type="text" required={name === 'key'} autocomplete="off" spellcheck={false} />
          )}
        </label>
      ))}
      {problem && <ProblemBox problem={problem} />}
      <p>
        <Button kind="primary" type="submit" busy={busy}>
          Save the app
        </Button>
      </p>
    </form>
  )
}
