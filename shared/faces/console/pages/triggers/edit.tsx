/** Edits the config of a subscription. */
import { useState } from 'preact/hooks'
import type { SubscriptionDetail } from '../../../../api/resources/subscription.ts'
import { call, problemOf } from '../../api/index.ts'
import type { Problem, TriggerManifest } from '../../api/index.ts'
import { fromInput, toInput } from '../../form/draft.ts'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import { problemsOf } from '../../form/problems.ts'
import type { FormError } from '../../form/problems.ts'
import { Button, Dialog, ProblemBox } from '../../ui/index.ts'
import { refusedFields } from './use-attach.ts'

type EditProps = { subscription: SubscriptionDetail; trigger: TriggerManifest; onClose(): void; onSaved(): void }

export const EditDialog = ({ subscription, trigger, onClose, onSaved }: EditProps) => {
  const { layout } = trigger
  const [draft, setDraft] = useState(() => fromInput(layout, subscription.config))
  const [errors, setErrors] = useState<FormError[]>([])
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    const formErrors = problemsOf(layout, draft)
    setErrors(formErrors)
    setProblem(undefined)
    if (formErrors.length > 0 || busy) return
    setBusy(true)
    try {
      await call('PATCH', `subscriptions/${encodeURIComponent(subscription.id)}`, {
        body: { config: toInput(layout, draft) },
      })
      onSaved()
      onClose()
    } catch (thrown) {
      const refusal = problemOf(thrown)
      const refused = refusedFields(trigger, refusal).config
      setErrors(refused)
      if (refused.length === 0) setProblem(refusal)
      setBusy(false)
    }
  }
  const path = `triggers/${encodeURIComponent(subscription.integration)}/${encodeURIComponent(trigger.id)}`
  return (
    <Dialog title="Edit the config" onClose={onClose}>
      <ProblemBox problem={problem} connection={subscription.connection} />
      <Form
        layout={layout}
        draft={draft}
        onChange={setDraft}
        errors={errors}
        optionsFor={optionsOf(path, subscription.connection)}
        integration={subscription.integration}
        onSubmit={save}
      >
        <p class="row actions">
          <Button type="submit" kind="primary" busy={busy}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </Form>
    </Dialog>
  )
}
