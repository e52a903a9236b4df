/** The state of a step's page: the connection, the form, its errors and the run. */
import { useEffect, useState } from 'preact/hooks'
import { useApi } from '../../api/index.ts'
import type { Manifest, Problem, StepManifest } from '../../api/index.ts'
import { forgetChoices, fromInput, setValue, toInput } from '../../form/draft.ts'
import type { Draft, Layout } from '../../form/draft.ts'
import { errorsOf, problemsOf } from '../../form/problems.ts'
import type { FormError } from '../../form/problems.ts'
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

/** The errors of a refusal that name fields of this form. */
const fieldErrors = (layout: Layout, problem: Problem | undefined): FormError[] =>
  errorsOf(layout, problem?.errors).filter(({ pointer }) => pointer !== '')

/** `from`: the id of the run whose input fills the form at first. */
export const useStep = (manifest: Manifest, step: StepManifest, from: string | undefined) => {
  const earlier = recall(from)
  const [connection, setConnection] = useState(earlier?.connection)
  const layout = useLayout(step, connection)
  const [draft, setDraft] = useState<Draft>(() => fromInput(step.layout, earlier?.input))
  const [errors, setErrors] = useState<FormError[]>([])
  const run = useRun(step)
  const { problem } = run.state
  useEffect(() => setErrors(fieldErrors(layout, problem)), [problem])

  const intentOf = (input = toInput(layout, draft)): Intent => ({
    integration: manifest.id,
    step: step.id,
    connection,
    input,
  })
  /** Calls `act` with the input, unless the form has errors, which are then shown. */
  const withInput = (act: (intent: Intent) => Promise<void>) => {
    const formErrors = problemsOf(layout, draft)
    setErrors(formErrors)
    if (formErrors.length === 0) void act(intentOf())
  }
  return {
    layout,
    draft,
    setDraft,
    errors,
    connection,
    choose(id: string | undefined) {
      if (connection !== undefined && id !== connection) setDraft((currentDraft) => forgetChoices(layout, currentDraft))
      setConnection(id)
    },
    change: (changes: Record<string, unknown>) =>
      setDraft((currentDraft) =>
        Object.entries(changes).reduce(
          (changed, [name, value]) => setValue(layout, changed, name, value),
          currentDraft,
        ),
      ),
    fill: (input: Record<string, unknown>) => {
      setErrors([])
      setDraft(fromInput(layout, input))
    },
    run,
    preview: () => withInput(run.preview),
    submit: () => withInput(run.ask),
    intentOf,
    isForgotten: from !== undefined && earlier === undefined,
  }
}
export type StepState = ReturnType<typeof useStep>
