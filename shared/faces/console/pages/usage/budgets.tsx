/** Budgets: what each allows, how much of it is used, and changing it. */
import { useState } from 'preact/hooks'
import type { Budget } from '../../../../api/resources/budget.ts'
import { call, isUnbound, may } from '../../api/index.ts'
import {
  ConfirmButton,
  CopiedId,
  DialogButton,
  errorAt,
  Facts,
  FormDialog,
  number,
  TextField,
  Time,
} from '../../ui/index.ts'
import { limitOf, whoseOf } from './words.ts'

type Props = { budget: Budget; changed(): void }

const pathOf = ({ id }: Budget) => `budgets/${encodeURIComponent(id)}`

const ChangeBudget = ({ budget, changed, close }: Props & { close(): void }) => {
  const [credits, setCredits] = useState(String(budget.credits))
  const [warn, setWarn] = useState(budget.warnAt === null ? '' : String(Math.round(budget.warnAt * 100)))
  const save = async () => {
    const warnAt = warn.trim() === '' ? null : Number(warn) / 100
    await call('PATCH', pathOf(budget), { body: { credits: Number(credits), warnAt } })
    close()
    changed()
  }
  return (
    <FormDialog title="Change the budget" submit="Save the budget" act={save} onClose={close}>
      {(problem) => (
        <>
          <TextField
            label="Credits"
            hint="The present period gets the new limit, too."
            type="number"
            min={0}
            step="any"
            required
            value={credits}
            change={setCredits}
            error={errorAt(problem, 'credits')}
          />
          <TextField
            label="Warn at, in percent (optional)"
            hint="Empty: no notification."
            type="number"
            min={1}
            step="any"
            value={warn}
            change={setWarn}
            error={errorAt(problem, 'warnAt')}
          />
        </>
      )}
    </FormDialog>
  )
}

const Actions = ({ budget, changed }: Props) => (
  <p class="row">
    <DialogButton label="Change">
      {(close) => <ChangeBudget budget={budget} changed={changed} close={close} />}
    </DialogButton>
    <ConfirmButton
      label="Remove"
      title="Remove this budget?"
      act={async () => {
        await call('DELETE', pathOf(budget))
        changed()
      }}
    >
      <p>From now on it stops no run. What was spent stays in the ledger.</p>
    </ConfirmButton>
  </p>
)

const Left = ({
  budget: { credits, spent, reserved, remaining, projectedRunOutAt, periodEnd },
}: {
  budget: Budget
}) => (
  <p class="muted">
    {number(spent)} of {number(credits)} spent{reserved > 0 && `, ${number(reserved)} reserved`}; {number(remaining)}{' '}
    left
    {periodEnd !== null && (
      <>
        {' '}
        until <Time at={periodEnd} />
      </>
    )}
    .{' '}
    {remaining > 0 && projectedRunOutAt !== null && (
      <>
        At this pace it is used up <Time at={projectedRunOutAt} relative />.
      </>
    )}
    {remaining === 0 && 'Nothing that costs is sent any more.'}
  </p>
)

export const Budgets = ({ budgets, changed }: { budgets: Budget[]; changed(): void }) => {
  const mayChange = isUnbound() && may('connections')
  return (
    <ul class="inbox" aria-label="Budgets">
      {budgets.map((budget) => {
        const whose = whoseOf(budget)
        return (
          <li key={budget.id}>
            <p>
              <strong>{whose}</strong>: {limitOf(budget)}
            </p>
            <meter
              aria-label={`Used of the budget: ${whose}`}
              max={Math.max(budget.credits, 1)}
              high={Math.max(budget.credits, 1) * (budget.warnAt ?? 1)}
              value={budget.spent + budget.reserved}
            />
            <Left budget={budget} />
            {mayChange && <Actions budget={budget} changed={changed} />}
            <details>
              <summary>Details</summary>
              <Facts
                facts={[
                  ['Budget', <CopiedId id={budget.id} />],
                  ['Counts', budget.subject && <CopiedId id={budget.subject} />],
                  ['Time zone', budget.timeZone],
                ]}
              />
            </details>
          </li>
        )
      })}
    </ul>
  )
}
