import type { ApprovalRule } from '../../../../api/resources/approval-rule.ts'
import { call, isUnbound, may, usePages } from '../../api/index.ts'
import { Button, ConfirmButton, DialogButton, Loading, Panel, ProblemBox } from '../../ui/index.ts'
import { RuleForm } from './rule-form.tsx'
import { useThingNames } from '../steps/use-thing-names.ts'
import { conditionsOf, decidersOf } from './rule-words.ts'
import { useNames } from './use-names.ts'
import { waitOf } from './words.tsx'

const DeleteRule = ({ rule, reload }: { rule: ApprovalRule; reload: () => void }) => (
  <ConfirmButton
    label="Delete"
    title={rule.name === null ? 'Delete this rule?' : `Delete the rule “${rule.name}”?`}
    act={async () => {
      await call('DELETE', `approval-rules/${encodeURIComponent(rule.id)}`)
      reload()
    }}
  >
    <p>From now on it holds nothing. Runs that it has held still wait.</p>
  </ConfirmButton>
)

type RowProps = { rule: ApprovalRule; mayChange: boolean; reload(): void; nameOf(id: string): string | undefined }

const RuleRow = ({ rule, mayChange, reload, nameOf }: RowProps) => {
  const { name, when, by, expiresMinutes, source } = rule
  const [connection, ...others] = when.connections ?? []
  const places = useThingNames(when.objects && others.length === 0 ? connection : undefined)
  return (
    <li>
      {name !== null && <h3>{name}</h3>}
      <p>
        {conditionsOf(when, (id) => nameOf(id) ?? places.get(id))} up to {waitOf(expiresMinutes)} for a decision of{' '}
        {decidersOf(by, nameOf)}.
      </p>
      {source === 'operator' && <p class="muted">Set by the operator for every workspace.</p>}
      {mayChange && source === 'workspace' && (
        <p class="row">
          <DialogButton label="Change">
            {(close) => <RuleForm rule={rule} onClose={close} onSaved={reload} />}
          </DialogButton>
          <DeleteRule rule={rule} reload={reload} />
        </p>
      )}
    </li>
  )
}

/** Which runs are held, in sentences. */
export const Rules = () => {
  const { items, problem, loading, hasMore, loadMore, reload } = usePages<ApprovalRule>('approval-rules')
  const nameOf = useNames()
  const mayChange = isUnbound() && (may('connections') || may('admin'))
  return (
    <Panel title="Rules">
      <ProblemBox problem={problem} retry={reload} />
      {loading && items.length === 0 && <Loading what="rules" />}
      {!loading && !problem && items.length === 0 && <p>There is no rule, so nothing is held.</p>}
      <ul class="inbox" aria-label="Rules">
        {items.map((rule) => (
          <RuleRow key={rule.id} rule={rule} mayChange={mayChange} reload={reload} nameOf={nameOf} />
        ))}
      </ul>
      {hasMore && !loading && <Button onClick={loadMore}>Show more</Button>}
      {mayChange && (
        <DialogButton label="Create a rule">{(close) => <RuleForm onClose={close} onSaved={reload} />}</DialogButton>
      )}
    </Panel>
  )
}
