/** One held run: what would be sent, for whom, and its decision. Opening it decides nothing. */
import { useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { ApprovalDetail } from '../../../../api/resources/approval.ts'
import type { Connection } from '../../../../api/resources/connection.ts'
import { pathTo, post, session, useApi, useReloads } from '../../api/index.ts'
import {
  DialogButton,
  errorAt,
  Facts,
  FormDialog,
  JsonView,
  Page,
  Panel,
  TextField,
  Time,
  WhenLoaded,
} from '../../ui/index.ts'
import { useNames } from './use-names.ts'
import { creditsOf, decidersOf, isUnderWay, nameOf, StateBadge } from './words.tsx'

type DecisionProps = { approval: ApprovalDetail; close(): void; reload(): void }

const pathOf = ({ id }: ApprovalDetail, decision: string) => `approvals/${encodeURIComponent(id)}/${decision}`

/** Who made a call may take it back, whoever decides about it. */
const isOwn = ({ token, person }: ApprovalDetail) => {
  const own = session.value?.token
  return own !== undefined && (token === own.id || (person !== null && person === own.person))
}

const Approve = ({ approval, close, reload }: DecisionProps) => {
  const [limit, setLimit] = useState('')
  const approve = async () => {
    // What was looked at: if it changed meanwhile, the server refuses.
    const { version } = approval
    await post(pathOf(approval, 'approve'), {
      version,
      ...(limit.trim() === '' ? {} : { maxCredits: Number(limit) }),
    })
    close()
    reload()
  }
  return (
    <FormDialog title="Approve this run?" submit="Approve" act={approve} onClose={close}>
      {(problem) => (
        <>
          <p>Exactly what is shown is sent, once.</p>
          {approval.price !== 'free' && (
            <TextField
              label="Spend at most (optional)"
              hint={
                approval.price === 'unknown'
                  ? 'In credits. Nobody knows what it costs; without a limit here, nothing limits it.'
                  : `In credits. It may cost ${approval.credits}; less can be allowed, not more.`
              }
              type="number"
              min={0}
              step="any"
              value={limit}
              change={setLimit}
              error={errorAt(problem, 'maxCredits')}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

type DenyProps = DecisionProps & { title: string; submit: string }

const Deny = ({ approval, close, reload, title, submit }: DenyProps) => {
  const [reason, setReason] = useState('')
  const deny = async () => {
    await post(pathOf(approval, 'deny'), { reason: reason.trim() || undefined })
    close()
    reload()
  }
  return (
    <FormDialog title={title} submit={submit} act={deny} onClose={close}>
      {(problem) => (
        <>
          <p>Nothing is sent.</p>
          <TextField
            label="Reason (optional)"
            hint="Told to whoever made the call."
            maxLength={500}
            value={reason}
            change={setReason}
            error={errorAt(problem, 'reason')}
          />
        </>
      )}
    </FormDialog>
  )
}

const Actions = ({ approval, reload }: { approval: ApprovalDetail; reload(): void }) => {
  if (approval.state !== 'open') return null
  if (!approval.mayDecide)
    return isOwn(approval) ? (
      <DialogButton label="Withdraw" kind="danger">
        {(close) => (
          <Deny approval={approval} close={close} reload={reload} title="Withdraw this run?" submit="Withdraw" />
        )}
      </DialogButton>
    ) : null
  return (
    <p class="row">
      <DialogButton label="Approve" kind="primary">
        {(close) => <Approve approval={approval} close={close} reload={reload} />}
      </DialogButton>
      <DialogButton label="Deny" kind="danger">
        {(close) => <Deny approval={approval} close={close} reload={reload} title="Deny this run?" submit="Deny" />}
      </DialogButton>
    </p>
  )
}

const outcomeOf = (approval: ApprovalDetail): string => {
  const { state, code, mayDecide, reason } = approval
  if (state === 'open') {
    const who = mayDecide ? 'You can decide about it.' : 'Somebody else has to decide about it.'
    const more = !mayDecide && isOwn(approval) ? ' You can withdraw it.' : ''
    return `${reason === null ? '' : `${reason} `}${who}${more}`
  }
  if (state === 'denied') return 'It was denied; nothing was sent.'
  if (state === 'expired') return 'It was not sent, and cannot be any more.'
  if (isUnderWay({ state })) return 'It was approved and is being sent.'
  return code === null ? 'It was approved and sent.' : `It was approved, and ended with ${code}.`
}

const About = ({ approval }: { approval: ApprovalDetail }) => {
  const { state, token, person, connection, maxCredits, by, runId, reason, decidedBy } = approval
  const { data } = useApi<Connection>(connection === null ? undefined : `connections/${encodeURIComponent(connection)}`)
  const nameOfToken = useNames()
  return (
    <Facts
      facts={[
        ['Token', token && nameOfToken(token)],
        ['Person', person],
        ['Step', nameOf(approval)],
        ['Connection', connection && <a href={pathTo('connections', connection)}>{data?.name ?? connection}</a>],
        ['Credits', approval.price === 'unknown' ? 'nobody knows how many' : creditsOf(approval)],
        ['Limit when approved', maxCredits],
        ['Until', (state === 'open' || state === 'approved') && <Time at={approval.expiresAt} />],
        ['Who decides', decidersOf(by)],
        ['Decided by', decidedBy && nameOfToken(decidedBy)],
        ['Decided', approval.decidedAt && <Time at={approval.decidedAt} />],
        ['Ended', state === 'expired' && <Time at={approval.endedAt ?? approval.expiresAt} />],
        ['Reason', state === 'open' ? null : reason],
        ['Run', runId && <a href={pathTo('runs', runId)}>View the run</a>],
      ]}
    />
  )
}

const Content = ({ approval }: { approval: ApprovalDetail }) => {
  const { requests, complete, input, erased, startId } = approval
  if (erased) return <p class="muted">What it would have sent is not stored any more.</p>
  return (
    <>
      <Panel title="Requests">
        {requests.length === 0 && <p class="muted">None is known before it runs.</p>}
        {requests.map((request, at) => (
          <JsonView key={at} name={`request ${at + 1}`} value={request} />
        ))}
        {!complete && <p>Later requests depend on the answers to these.</p>}
      </Panel>
      <Panel title="Input">
        <JsonView name="input" value={input} />
      </Panel>
      {startId && (
        <p>
          <a href={pathTo('starts', startId)}>View the start</a>
        </p>
      )}
    </>
  )
}

const ApprovalPage = () => {
  const loaded = useApi<ApprovalDetail>(`approvals/${encodeURIComponent(useRoute().params['id'] ?? '')}`)
  const { data, reload } = loaded
  useReloads(loaded, isUnderWay)
  return (
    <Page title={data ? (data.title ?? nameOf(data)) : 'Approval'} list="approvals">
      <WhenLoaded of={loaded} what="the held run">
        {(approval) => (
          <>
            <p role="status">
              <StateBadge approval={approval} /> {outcomeOf(approval)}
            </p>
            <Panel>
              <About approval={approval} />
            </Panel>
            <Content approval={approval} />
            <Actions approval={approval} reload={reload} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default ApprovalPage
