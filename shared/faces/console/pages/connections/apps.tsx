import { useState } from 'preact/hooks'
import type { App } from '../../../../api/resources/app.ts'
import { manifests, useApi } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import { ChoiceField, CodeBlock, Dialog, Facts, WhenLoaded, Time } from '../../ui/index.ts'
import { AppForm } from './app-form.tsx'

const AppSettings = ({ integration, type }: { integration: Manifest; type: Manifest['connections'][number] }) => {
  const app = useApi<App>(`apps/${encodeURIComponent(integration.id)}`)
  const [saved, setSaved] = useState(false)
  const done = () => {
    setSaved(true)
    app.reload()
  }
  return (
    <WhenLoaded of={app} what="the app">
      {(data) => (
        <>
          {data.key !== null && (
            <Facts
              facts={[
                ['Key', data.key],
                ['Client id', data.clientId],
                ...Object.entries(data.secrets ?? {}).map(([name, hint]): [string, string] => [name, hint]),
                ['Set for', data.owner === 'operator' ? 'every tenant without an app of its own' : 'this tenant'],
                [
                  'Deliveries to',
                  data.deliveriesTo && <CodeBlock label="Address for webhooks" text={data.deliveriesTo} />,
                ],
                ['Changed', <Time at={data.updatedAt} />],
              ]}
            />
          )}
          <p role="status">{saved && 'The app was saved. The previous secret still verifies deliveries.'}</p>
          <AppForm integration={integration} type={type} app={data} onSaved={done} />
        </>
      )}
    </WhenLoaded>
  )
}

/** Our apps (registrations as an application) at the providers that need one. */
export const AppDialog = ({ onClose }: { onClose(): void }) => {
  const all = manifests.value.flatMap((integration) => {
    const type = integration.connections.find(({ app }) => app !== null)
    return type ? [{ integration, type }] : []
  })
  const [id, setId] = useState(all[0]?.integration.id)
  const chosen = all.find(({ integration }) => integration.id === id)
  return (
    <Dialog title="Apps at the providers" onClose={onClose}>
      {all.length === 0 && <p>No installed integration needs an app.</p>}
      {all.length > 1 && (
        <ChoiceField
          label="Integration"
          value={id!}
          change={setId}
          options={all.map(({ integration }) => [integration.id, integration.title])}
        />
      )}
      {chosen && <AppSettings key={id} {...chosen} />}
    </Dialog>
  )
}
