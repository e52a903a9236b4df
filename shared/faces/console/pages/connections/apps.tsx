import { useState } from 'preact/hooks'
import type { App } from '../../../../api/resources/app.ts'
import { manifests } from '../../api/server.ts'
import type { Manifest } from '../../api/server.ts'
import { useApi } from '../../api/use-api.ts'
import { Facts } from '../../ui/basics.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { AppForm } from './app-form.tsx'

const OneApp = ({ integration, type }: { integration: Manifest; type: Manifest['connections'][number] }) => {
  const { data, problem, reload } = useApi<App>(`apps/${encodeURIComponent(integration.id)}`)
  const [saved, setSaved] = useState(false)
  if (problem) return <ProblemBox problem={problem} retry={reload} />
  if (!data) return <Loading what="the app" />
  const done = () => {
    setSaved(true)
    reload()
  }
  return (
    <>
      {data.key !== null && (
        <Facts
          facts={[
            ['Key', data.key],
            ['Client id', data.clientId],
            ...Object.entries(data.secrets ?? {}).map(([name, hint]): [string, string] => [name, hint]),
            ['Set for', data.owner === 'operator' ? 'every tenant without an app of its own' : 'this tenant'],
            ['Changed', <Time at={data.updatedAt} />],
          ]}
        />
      )}
      <p role="status">{saved && 'The app was saved. The previous secret still verifies deliveries.'}</p>
      <AppForm integration={integration} type={type} app={data} onSaved={done} />
    </>
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
        <label>
          Integration
          <select value={id} onChange={(event) => setId(event.currentTarget.value)}>
            {all.map(({ integration }) => (
              <option key={integration.id} value={integration.id}>
                {integration.title}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen && <OneApp key={id} {...chosen} />}
    </Dialog>
  )
}
