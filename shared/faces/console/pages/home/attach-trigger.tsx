import { useEffect, useState } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo, post, useAction, useKey } from '../../api/index.ts'
import type { TriggerManifest } from '../../api/index.ts'
import { requireContainer } from '../../form/container.ts'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import { useDraft } from '../../form/use-draft.ts'
import { Button, ChoiceField, ProblemBox } from '../../ui/index.ts'
import type { Suggestion } from './choose.ts'

type Props = { chosen: Suggestion<TriggerManifest>; agent: string; attached(): void }

const Config = ({ chosen: { manifest, item, connection }, agent, attached }: Props) => {
  // Optional fields can wait: the trigger's own page has them.
  const whole = requireContainer(item.layout, item.container, connection)
  const layout = { ...whole, fields: whole.fields.filter(({ required }) => required) }
  const { form, input, check, refuse } = useDraft(layout)
  const key = useKey()
  const { run, busy, problem } = useAction(async () => {
    const body = {
      integration: manifest.id,
      trigger: item.id,
      connection: connection.id,
      config: input(),
      agent: { url: agent },
    }
    await post<Subscription>('subscriptions', body, { headers: key.of(body) })
    key.forget()
    attached()
  })
  useEffect(() => void refuse(problem?.errors), [problem])
  return (
    <>
      <p>{item.purpose}</p>
      <Form
        {...form}
        optionsFor={optionsOf(
          `triggers/${encodeURIComponent(manifest.id)}/${encodeURIComponent(item.id)}`,
          connection.id,
        )}
        integration={manifest.id}
        onSubmit={() => check() && !busy && void run()}
      >
        <ProblemBox problem={problem} connection={connection.id} />
        <p class="row">
          <Button kind="primary" type="submit" busy={busy}>
            Attach to the example agent
          </Button>
          <a href={pathTo('triggers', manifest.id, item.id, 'attach')}>Open the full form</a>
        </p>
      </Form>
    </>
  )
}

/** Attaches one of the triggers to the sandbox's example agent, asking only for required values. */
export const AttachTrigger = ({
  triggers,
  agent,
  attached,
}: {
  triggers: Suggestion<TriggerManifest>[]
  agent: string
  attached(): void
}) => {
  const [id, setId] = useState<string>()
  const chosen = triggers.find(({ item }) => item.id === id) ?? triggers[0]!
  return (
    <>
      <p>
        A trigger starts an agent when something happens. The sandbox has an example agent, which shows what it
        receives.
      </p>
      <ChoiceField
        label="Trigger"
        value={chosen.item.id}
        change={setId}
        options={triggers.map(({ item }) => [item.id, item.title])}
      />
      <Config key={chosen.item.id} chosen={chosen} agent={agent} attached={attached} />
    </>
  )
}
