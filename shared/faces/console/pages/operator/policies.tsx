import { useState } from 'preact/hooks'
import { call, manifests, useApi } from '../../api/index.ts'
import { Checks, errorAt, WhenLoaded, Panel, SubmitForm, TextField } from '../../ui/index.ts'
import type { Policy } from '../../../../api/resources/policy.ts'
import type { SectionProps } from './section-props.ts'

type LimitName = keyof NonNullable<Policy['limits']>

const limits: [name: LimitName, label: string, hint: string][] = [
  ['requestsPerSecond', 'Requests per second', 'Requests to this server.'],
  ['burst', 'Burst', 'How many requests may come at once above that.'],
  ['personRunsPerMinute', 'Runs per minute and person', 'Steps that act for the same person.'],
  ['running', 'Runs at once', 'Steps that run at the same time.'],
  ['waiting', 'Waiting runs', 'Steps that may wait for their turn.'],
  ['connections', 'Connections', 'Connected accounts.'],
  ['subscriptions', 'Subscriptions', 'Triggers attached to agents.'],
  ['labels', 'Labels', 'Of one connection or subscription.'],
  ['keyedMegabytes', 'Stored outcomes (MB)', 'Of requests with an idempotency key.'],
  ['files', 'Files', 'Stored at once.'],
  ['filesMegabytes', 'All files (MB)', 'What they may take together.'],
  ['fileMegabytes', 'One file (MB)', 'Its maximum size.'],
]

type Texts = Record<string, string>
const textsOf = ({ limits: currentLimits = {} }: Policy): Texts =>
  Object.fromEntries(
    limits.map(([name]) => [name, currentLimits[name] === undefined ? '' : String(currentLimits[name])]),
  )
const policyFrom = (texts: Texts, allow: Record<string, string[]>, { apiCallUnpriced }: Policy): Policy => {
  const filledTexts = Object.entries(texts).filter(([, text]) => text !== '')
  const allowed = Object.entries(allow).filter(([, patterns]) => patterns.length > 0)
  return {
    ...(filledTexts.length > 0
      ? { limits: Object.fromEntries(filledTexts.map(([name, text]) => [name, Number(text)])) }
      : {}),
    ...(allowed.length > 0 ? { apiCallAllow: Object.fromEntries(allowed) } : {}),
    // Only the HTTP API can change this value, so the form keeps it.
    ...(apiCallUnpriced === undefined ? {} : { apiCallUnpriced }),
  }
}

type AllowProps = { allow: Record<string, string[]>; change(allow: Record<string, string[]>): void }

const Allowed = ({ allow, change }: AllowProps) => (
  <Panel title="API Call exceptions">
    <p class="muted">Paths that API Call refuses, each for a reason. This tenant may use the chosen ones anyway.</p>
    {manifests.value
      .filter(({ apiCall }) => apiCall.deny.length > 0)
      .map(({ id, title, apiCall }) => (
        <details key={id}>
          <summary>
            {title}
            {(allow[id]?.length ?? 0) > 0 && `: ${allow[id]!.length} allowed`}
          </summary>
          <Checks
            legend={`Paths of ${title}`}
            chosen={allow[id] ?? []}
            change={(chosen) => change({ ...allow, [id]: chosen })}
            options={[...new Map(apiCall.deny.map((rule) => [rule.path, rule])).values()].map(
              ({ path, methods, reason }) => ({
                value: path,
                label: (
                  <>
                    <code>
                      {methods?.join(', ')} {path}
                    </code>{' '}
                    {reason}
                  </>
                ),
              }),
            )}
          />
        </details>
      ))}
  </Panel>
)

const PolicyForm = ({ tenant, currentPolicy, onSaved }: SectionProps & { currentPolicy: Policy; onSaved(): void }) => {
  const [texts, setTexts] = useState(textsOf(currentPolicy))
  const [allow, setAllow] = useState<Record<string, string[]>>(currentPolicy.apiCallAllow ?? {})
  const [said, setSaid] = useState('')
  const save = async () => {
    setSaid('')
    await call('PUT', 'admin/policies', { query: { tenant }, body: policyFrom(texts, allow, currentPolicy) })
    setSaid('Saved. The limits apply at once.')
    onSaved()
  }
  return (
    <SubmitForm submit="Save" act={save} aside={<span role="status">{said}</span>}>
      {(problem) => (
        <>
          <Panel title="Limits">
            <p class="muted">Leave a field empty to use the server’s limit.</p>
            <div class="columns">
              {limits.map(([name, label, hint]) => (
                <TextField
                  key={name}
                  label={label}
                  hint={hint}
                  type="number"
                  min={1}
                  placeholder="Server’s limit"
                  value={texts[name] ?? ''}
                  change={(text) => setTexts({ ...texts, [name]: text })}
                  error={errorAt(problem, `limits/${name}`)}
                />
              ))}
            </div>
          </Panel>
          <Allowed allow={allow} change={setAllow} />
        </>
      )}
    </SubmitForm>
  )
}

export const Policies = ({ tenant }: SectionProps) => {
  const policy = useApi<Policy>('admin/policies', { tenant })
  return (
    <WhenLoaded of={policy} what="the limits">
      {(data) => <PolicyForm tenant={tenant} currentPolicy={data} onSaved={policy.reload} />}
    </WhenLoaded>
  )
}
