/** The state of a step's page: the connection, the form, its errors and the run. */
import { useEffect, useState } from 'preact/hooks'
import { useApi } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { setValue } from '../../form/draft.ts'
import type { Layout } from '../../form/draft.ts'
import { useDraft } from '../../form/use-draft.ts'
import { recall } from './intents.ts'
import type { Intent } from './intents.ts'
import { useRun } from './use-run.ts'

export const apiCallId = 'api-call'

/** The manifest's methods, limited to those that the connection may use. */
const narrow = (layout: Layout, methods: string[] | undefined): Layout =>
  methods === undefined
    ? layout
    : {
        ...layout,
        fields: layout.fields.map((field) =>
          field.name === 'method'
            ? { ...field, choices: field.choices?.filter((method) => methods.includes(method)) ?? [] }
            : field,
        ),
      }

const useLayout = (step: StepManifest, connection: string | undefined) => {
  const isNarrowed = step.id === apiCallId && connection !== undefined
  const { data } = useApi<{ policy: { methods?: string[] } | null }>(
    isNarrowed ? `connections/${encodeURIComponent(connection)}` : undefined,
  )
  return narrow(step.layout, data?.policy?.methods)
}

/** `from`: the id of the run whose input fills the form at first. */
export const useStep = (manifest: Manifest, step: StepManifest, from: string | undefined) => {
  const earlier = recall(from)
  const [connection, setConnection] = useState(earlier?.connection)
  const layout = useLayout(step, connection)
  const { form, input, check, refuse, fill, forget } = useDraft(layout, earlier?.input)
  const run = useRun(step)
  const { problem } = run.state
  useEffect(() => void refuse(problem?.errors), [problem])

  const intentOf = (values = input()): Intent => ({
    integration: manifest.id,
    step: step.id,
    connection,
    input: values,
  })
  /** Calls `act` with the input, unless the form has errors, which are then shown. */
  const withInput = (act: (intent: Intent) => Promise<void>) => check() && void act(intentOf())
  return {
    form,
    connection,
    choose(id: string | undefined) {
      if (connection !== undefined && id !== connection) forget()
      setConnection(id)
    },
    change: (changes: Record<string, unknown>) =>
      form.onChange((currentDraft) =>
        Object.entries(changes).reduce(
          (changed, [name, value]) => setValue(layout, changed, name, value),
          currentDraft,
        ),
      ),
    fill,
    run,
    preview: () => withInput(run.preview),
    submit: () => withInput(run.ask),
    intentOf,
    isForgotten: from !== undefined && earlier === undefined,
  }
}
export type StepState = ReturnType<typeof useStep>
