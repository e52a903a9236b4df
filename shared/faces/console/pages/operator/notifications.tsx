import { useState } from 'preact/hooks'
import { call, post, useApi } from '../../api/index.ts'
import {
  Button,
  Checks,
  ConfirmButton,
  errorAt,
  Facts,
  Loading,
  Panel,
  ProblemBox,
  ShownOnce,
  SubmitForm,
  TextField,
  Time,
} from '../../ui/index.ts'
import type { NotificationTarget } from '../../../../api/resources/notification.ts'
import type { SectionProps } from './section-props.ts'

type Type = NonNullable<NotificationTarget['types']>[number]
const types: [Type, string][] = [
  ['connection.created', 'an account was connected'],
  ['connection.needs_reconnect', 'an account must be reconnected'],
  ['subscription.unhealthy', 'a subscription does not work'],
  ['start.dead', 'an agent could not be started'],
  ['gap.found', 'events were missed and cannot be recovered'],
  ['deprecation.used', 'a deprecated feature was used'],
]

type FormProps = SectionProps & {
  savedTarget: NotificationTarget | undefined
  onSaved(saved: NotificationTarget): void
}

const TargetForm = ({ tenant, savedTarget, onSaved }: FormProps) => {
  const [url, setUrl] = useState(savedTarget?.url ?? '')
  const [chosen, setChosen] = useState<string[]>(savedTarget?.types ?? [])
  const save = async () =>
    onSaved(
      await call<NotificationTarget>('PUT', 'admin/notifications', {
        body: { tenant, url, types: chosen.length === 0 ? null : chosen },
      }),
    )
  return (
    <SubmitForm class="panel" submit="Save" act={save}>
      {(problem) => (
        <>
          <h2>{savedTarget ? 'Change the address' : 'No notifications are sent for this tenant'}</h2>
          <TextField
            label="Address"
            type="url"
            required
            hint="Notifications are sent to it as signed POST requests, as agent starts are."
            value={url}
            change={setUrl}
            error={errorAt(problem, 'url')}
          />
          <Checks
            legend="Types"
            hint="None chosen: all."
            chosen={chosen}
            change={setChosen}
            options={types.map(([value, about]) => ({
              value,
              label: (
                <>
                  <code>{value}</code> {about}
                </>
              ),
            }))}
          />
        </>
      )}
    </SubmitForm>
  )
}

export const Notifications = ({ tenant }: SectionProps) => {
  const { data, problem, loading, reload } = useApi<NotificationTarget>('admin/notifications', { tenant })
  const [secret, setSecret] = useState<string>()
  const isAbsent = problem?.status === 404
  const saved = (target: NotificationTarget) => {
    setSecret(target.secret)
    reload()
  }
  if (loading && !data) return <Loading what="the notifications" />
  if (problem && !isAbsent) return <ProblemBox problem={problem} retry={reload} />
  return (
    <>
      {secret !== undefined && (
        <ShownOnce name="Secret that signs the notifications" noun="secret" text={secret}>
          <Button onClick={() => setSecret(undefined)}>Done</Button>
        </ShownOnce>
      )}
      {data && (
        <Panel>
          <Facts
            facts={[
              ['Address', data.url === null ? 'handed to the host application' : <code>{data.url}</code>],
              ['Types', data.types?.join(', ') ?? 'all'],
              ['Changed', <Time at={data.updatedAt} />],
              ['Previous secret valid until', data.previousSecretUntil && <Time at={data.previousSecretUntil} />],
            ]}
          />
          <p class="row spaced">
            <ConfirmButton
              label="Rotate the secret"
              danger={false}
              act={async () => saved(await post<NotificationTarget>('admin/notifications/rotate-secret', { tenant }))}
            >
              <p>A new secret is made and shown once. For one day, notifications are signed with both secrets.</p>
            </ConfirmButton>
            <ConfirmButton
              label="Stop notifications"
              act={async () => {
                await call('DELETE', 'admin/notifications', { query: { tenant } })
                reload()
              }}
            >
              <p>The address is removed, and pending notifications are dropped.</p>
            </ConfirmButton>
          </p>
        </Panel>
      )}
      <TargetForm
        key={data?.updatedAt ?? 'none'}
        tenant={tenant}
        savedTarget={isAbsent ? undefined : data}
        onSaved={saved}
      />
    </>
  )
}
