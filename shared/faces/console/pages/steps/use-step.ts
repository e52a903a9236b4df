/** The state of a step's page: the connection, the form, its errors and the run. */
import { useEffect, useState } from 'preact/hooks'
import { useApi, useConnections } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { requireContainer } from '../../form/container.ts'
import { setValue, valuesOf } from '../../form/draft.ts'
import type { Layout, Values } from '../../form/draft.ts'
import { problemsOf } from '../../form/problems.ts'
import { useDraft } from '../../form/use-draft.ts'
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

const useLayout = (integration: string, step: StepManifest, connection: string | undefined) => {
  const { items } = useConnections(integration, step.container !== null)
  const isNarrowed = step.id === apiCallId && connection !== undefined
  const { data } = useApi<{ policy: { methods?: string[] } | null }>(
    isNarrowed ? `connections/${encodeURIComponent(connection)}` : undefined,
  )
  const row = items.find(({ id }) => id === connection)
  return narrow(requireContainer(step.layout, step.container, row), data?.policy?.methods)
}

/** `earlier`: what fills the form at first. */
export const useStep = (manifest: Manifest, step: StepManifest, earlier: Intent | undefined) => {
  const [connection, setConnection] = useState(earlier?.connection)
  const layout = useLayout(manifest.id, step, connection)
  const { form, input, check, refuse, fill, forget } = useDraft(layout, earlier?.values ?? earlier?.input)
  const run = useRun(step)
  const { problem } = run.state
  useEffect(() => void refuse(problem?.errors), [problem])

  /** `otherInput`: in place of what the form has. */
  const intentOf = (otherInput?: Values): Intent => ({
    integration: manifest.id,
    step: step.id,
    connection,
    input: otherInput ?? input(),
    ...(otherInput ? {} : { values: valuesOf(layout, form.draft) }),
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
    names: earlier?.names && new Map(earlier.names),
    fill,
    run,
    preview: () => withInput(run.preview),
    submit: () => withInput(run.ask),
    intentOf,
    /** Whether the form could be sent as it is. */
    isComplete: problemsOf(form.layout, form.draft).length === 0,
  }
}
export type StepState = ReturnType<typeof useStep>
