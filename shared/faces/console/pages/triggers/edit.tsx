/** Edits the config of a subscription. */
import { useEffect } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { call, useAction } from '../../api/index.ts'
import type { TriggerManifest } from '../../api/index.ts'
import { requireContainer } from '../../form/container.ts'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Dialog, ProblemBox } from '../../ui/index.ts'

type EditProps = { subscription: Subscription; trigger: TriggerManifest; onClose(): void; onSaved(): void }

export const EditDialog = ({ subscription, trigger, onClose, onSaved }: EditProps) => {
  // What is watched now stays until something else is chosen.
  const layout = requireContainer(trigger.layout, trigger.container, undefined)
  const { form, input, check, refuse } = useDraft(layout, subscription.config)
  const { run, busy, problem } = useAction(async () => {
    await call('PATCH', `subscriptions/${encodeURIComponent(subscription.id)}`, { body: { config: input() } })
    onSaved()
    onClose()
  })
  useEffect(() => void refuse(problem?.errors), [problem])
  const path = `triggers/${encodeURIComponent(subscription.integration)}/${encodeURIComponent(trigger.id)}`
  return (
    <Dialog title="Edit the filter" onClose={onClose}>
      {form.errors.length === 0 && <ProblemBox problem={problem} connection={subscription.connection} />}
      <Form
        {...form}
        optionsFor={optionsOf(path, subscription.connection)}
        integration={subscription.integration}
        onSubmit={() => check() && !busy && void run()}
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
