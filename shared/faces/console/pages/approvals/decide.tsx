/** The decision about a held run: to send exactly what was looked at, to limit what it may spend, or to send nothing. */
import { useState } from 'preact/hooks'
import type { Approval } from '../../../../api/resources/approval.ts'
import { post, session, useAction } from '../../api/index.ts'
import { Button, DialogButton, errorAt, FormDialog, number, ProblemBox, TextField } from '../../ui/index.ts'

type Props = { approval: Approval; reload(): void }
type DialogProps = Props & { close(): void }

const pathOf = ({ id }: Approval, decision: string) => `approvals/${encodeURIComponent(id)}/${decision}`

/** Who made a call may take it back, whoever decides about it. */
export const isOwn = ({ token, person }: Approval) => {
  const own = session.value?.token
  return own !== undefined && (token === own.id || (person !== null && person === own.person))
}

/** Names the version that was looked at: if what would be sent has changed meanwhile, the server refuses. */
const approve = (approval: Approval, limit: { maxCredits?: number } = {}) =>
  post(pathOf(approval, 'approve'), { version: approval.version, ...limit })

const ApproveWithLimit = ({ approval, close, reload }: DialogProps) => {
  const [limit, setLimit] = useState('')
  const act = async () => {
    await approve(approval, { maxCredits: Number(limit) })
    close()
    reload()
  }
  const hint =
    approval.price === 'unknown'
      ? 'In credits. Nobody knows what it costs; without a limit here, nothing limits it.'
      : `In credits. It may cost ${number(approval.credits ?? 0)}; less can be allowed, not more.`
  return (
    <FormDialog title="Approve with a limit?" submit="Approve with this limit" act={act} onClose={close}>
      {(problem) => (
        <>
          <p>Exactly what is shown is sent, once. If it would cost more than the limit, it fails.</p>
          <TextField
            label="Spend at most"
            hint={hint}
            type="number"
            min={0}
            step="any"
            required
            value={limit}
            change={setLimit}
            error={errorAt(problem, 'maxCredits')}
          />
        </>
      )}
    </FormDialog>
  )
}

const Deny = ({ approval, close, reload, verb }: DialogProps & { verb: string }) => {
  const [reason, setReason] = useState('')
  const deny = async () => {
    await post(pathOf(approval, 'deny'), { reason: reason.trim() || undefined })
    close()
    reload()
  }
  return (
    <FormDialog title={`${verb} this run?`} submit={verb} act={deny} onClose={close}>
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

const DenyButton = ({ verb, ...props }: Props & { verb: string }) => (
  <DialogButton label={verb} kind="danger">
    {(close) => <Deny {...props} close={close} verb={verb} />}
  </DialogButton>
)

/** What who is signed in may do about a run that waits; nothing once it was decided. */
export const Decide = ({ approval, reload }: Props) => {
  const approving = useAction(async () => {
    await approve(approval)
    reload()
  })
  if (approval.state !== 'open') return null
  if (!approval.mayDecide)
    return isOwn(approval) ? (
      <p class="row">
        <DenyButton approval={approval} reload={reload} verb="Withdraw" />
      </p>
    ) : null
  return (
    <>
      <ProblemBox problem={approving.problem} retry={reload} />
      <p class="row">
        <Button kind="primary" action={approving}>
          Approve
        </Button>
        {approval.price !== 'free' && (
          <DialogButton label="Approve with a limit">
            {(close) => <ApproveWithLimit approval={approval} close={close} reload={reload} />}
          </DialogButton>
        )}
        <DenyButton approval={approval} reload={reload} verb="Deny" />
      </p>
    </>
  )
}
