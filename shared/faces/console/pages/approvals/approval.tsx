/** One held run: who wants what, what it would change and cost, and its decision. Opening it decides nothing. */
import { useRoute } from 'preact-iso/router'
import type { ApprovalDetail } from '../../../../api/resources/approval.ts'
import { integrationTitle, pathTo, stepOf, stepTitle, useApi, useReloads } from '../../api/index.ts'
import { CopiedId, Facts, JsonView, Page, Panel, Time, WhenLoaded } from '../../ui/index.ts'
import { Decide, isOwn } from './decide.tsx'
import { decidersOf } from './rule-words.ts'
import { costOf, isUnderWay, nameOf, StateBadge } from './words.tsx'

const outcomeOf = (approval: ApprovalDetail): string => {
  const { state, code, mayDecide, reason } = approval
  if (state === 'open') {
    const who = mayDecide ? 'You can decide about it.' : 'Somebody else has to decide about it.'
    const more = !mayDecide && isOwn(approval) ? ' You can withdraw it.' : ''
    return `Nothing was sent. ${reason === null ? '' : `${reason} `}${who}${more}`
  }
  if (state === 'denied') return 'It was denied; nothing was sent.'
  if (state === 'expired') return 'It was not sent, and cannot be any more.'
  if (isUnderWay({ state })) return 'It was approved and is being sent.'
  return code === null ? 'It was approved and sent.' : `It was approved, and ended with ${code}.`
}

/** What each field of the input is called, with the names of the things that it names; ids without a name are left out. */
const changesOf = ({ integration, step, input, summary }: ApprovalDetail): [title: string, value: string][] => {
  const manifest = stepOf(integration, step)
  const properties = (manifest?.input['properties'] ?? {}) as Record<string, { title?: string }>
  const names = new Map(summary?.parts.flatMap(({ ref, text, unnamed }) => (ref && !unnamed ? [[ref.id, text]] : [])))
  const read = (name: string, value: unknown): string | undefined => {
    if (Array.isArray(value)) {
      const parts = value.map((part) => read(name, part))
      return parts.every((part) => part !== undefined) ? parts.join(', ') : undefined
    }
    if (typeof value === 'string') return names.get(value) ?? (manifest?.fields[name]?.options ? undefined : value)
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    return typeof value === 'number' ? String(value) : undefined
  }
  return Object.entries(input as Record<string, unknown>).flatMap(([name, value]): [string, string][] => {
    const text = read(name, value)
    return text === undefined || properties[name] === undefined ? [] : [[properties[name].title ?? name, text]]
  })
}

const About = ({ approval }: { approval: ApprovalDetail }) => {
  const { state, token, person, connection, names, maxCredits, by, runId, reason, decidedBy, startId, kind } = approval
  const isEnded = state !== 'open' && state !== 'approved'
  return (
    <Facts
      facts={[
        ['Asked by', token === null ? null : (names[token] ?? 'a token that is gone')],
        ['For', person],
        ['Asked', <Time at={approval.createdAt} relative />],
        [
          'Step',
          kind === 'step' &&
            `${stepTitle(approval.integration, approval.step)} (${integrationTitle(approval.integration)})`,
        ],
        [
          'Connection',
          connection && (
            <a href={pathTo('connections', connection)}>{names[connection] ?? 'a connection that is gone'}</a>
          ),
        ],
        ['Cost', costOf(approval)],
        ['Limit when approved', maxCredits],
        ['Expires', !isEnded && <Time at={approval.expiresAt} relative />],
        ['Held by', names[approval.rule] && `the rule “${names[approval.rule]}”`],
        ['Who decides', decidersOf(by, (id) => names[id])],
        ['Decided by', decidedBy && (names[decidedBy] ?? decidedBy)],
        ['Decided', approval.decidedAt && <Time at={approval.decidedAt} relative />],
        ['Ended', state === 'expired' && <Time at={approval.endedAt ?? approval.expiresAt} relative />],
        ['Reason', state === 'open' ? null : reason],
        ['Started by', startId && <a href={pathTo('starts', startId)}>an event</a>],
        ['Run', runId && <a href={pathTo('runs', runId)}>View the run</a>],
      ]}
    />
  )
}

/** The machinery: the exact requests, the input, and ids. */
const Details = ({ approval }: { approval: ApprovalDetail }) => {
  const { requests, complete, input, erased, id, token, connection, rule } = approval
  return (
    <details class="panel">
      <summary>
        <h2>Details</h2>
      </summary>
      {erased ? (
        <p class="muted">What it would have sent is not stored any more.</p>
      ) : (
        <>
          <h3>Requests</h3>
          {requests.length === 0 && <p class="muted">None is known before it runs.</p>}
          {requests.map((request, at) => (
            <JsonView key={at} name={`request ${at + 1}`} value={request} />
          ))}
          {!complete && <p>Later requests depend on the answers to these.</p>}
          <h3>Input</h3>
          <JsonView name="input" value={input} />
        </>
      )}
      <h3>Ids</h3>
      <Facts
        facts={[
          ['Held run', <CopiedId id={id} />],
          ['Token', token && <CopiedId id={token} />],
          ['Connection', connection && <CopiedId id={connection} />],
          ['Rule', <CopiedId id={rule} />],
        ]}
      />
    </details>
  )
}

const Changes = ({ approval }: { approval: ApprovalDetail }) => {
  const changes = approval.kind === 'step' && !approval.erased ? changesOf(approval) : []
  return changes.length === 0 ? null : (
    <Panel title={approval.effect === 'read' ? 'What it asks for' : 'What it would change'}>
      <Facts facts={changes} />
    </Panel>
  )
}

const ApprovalPage = () => {
  const loaded = useApi<ApprovalDetail>(`approvals/${encodeURIComponent(useRoute().params['id'] ?? '')}`)
  const { data, reload } = loaded
  useReloads(loaded, isUnderWay)
  return (
    <Page title={data ? (data.summary?.text ?? data.title ?? nameOf(data)) : 'Approval'} list="approvals">
      <WhenLoaded of={loaded} what="the held run">
        {(approval) => (
          <>
            <p role="status">
              <StateBadge approval={approval} /> {outcomeOf(approval)}
            </p>
            <Decide approval={approval} reload={reload} />
            <Changes approval={approval} />
            <Panel title="About it">
              <About approval={approval} />
            </Panel>
            <Details approval={approval} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default ApprovalPage
