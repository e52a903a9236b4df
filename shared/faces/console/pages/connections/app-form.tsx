import { useRef } from 'preact/hooks'
import type { App } from '../../../../api/resources/app.ts'
import { apiRoot, call, server } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import { CodeBlock, SubmitForm, TextField } from '../../ui/index.ts'

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
  const fields = useRef<HTMLDivElement>(null)
  const save = async () => {
    const inputs = [...fields.current!.querySelectorAll('input')]
    const body = Object.fromEntries(inputs.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]))
    for (const input of inputs) if (isSecret(input.name)) input.value = ''
    await call('PUT', `apps/${encodeURIComponent(integration.id)}`, { body })
    onSaved()
  }
  const callback = type.app?.callback
  const shown = type.flow === 'oauth-2.0' ? names : names.slice(0, 2)
  return (
    <SubmitForm submit="Save the app" act={save}>
      {() => (
        <div ref={fields}>
          <h3>{app.key === null ? 'First, set up your app' : 'Change the app'}</h3>
          <p>
            {integration.title} connects accounts through an app that you register at the provider once.
            {callback && ' Register it with this redirect address:'}
          </p>
          {callback && <CodeBlock label="Redirect address" text={callbackOf(callback)} />}
          {shown.map((name) => (
            <TextField
              key={name}
              name={name}
              label={titles[name]}
              type={isSecret(name) ? 'password' : 'text'}
              required={name === 'key' || name === 'secret'}
              spellcheck={false}
            />
          ))}
        </div>
      )}
    </SubmitForm>
  )
}
