/** The state of the page that attaches a trigger: the connection, the forms, their errors and the new subscription. */
import { useState } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { post, problemOf, server, useKey } from '../../api/index.ts'
import type { Problem, TriggerManifest } from '../../api/index.ts'
import { forgetChoices, fromInput, toInput } from '../../form/draft.ts'
import type { Draft } from '../../form/draft.ts'
import { errorsOf, problemsOf } from '../../form/problems.ts'
import type { FormError } from '../../form/problems.ts'

export type Errors = { config: FormError[]; options: FormError[]; agent: Record<string, string> }
const noErrors: Errors = { config: [], options: [], agent: {} }

/** The errors of a refusal, assigned to the form that has the field. */
export const refusedFields = ({ layout, optionsLayout }: TriggerManifest, { errors = [] }: Problem): Errors => ({
  options: errorsOf(
    optionsLayout,
    errors.filter(({ pointer }) => pointer.startsWith('/options/')),
  ),
  agent: Object.fromEntries(
    errors.flatMap(({ pointer, message }) =>
      pointer.startsWith('/agent/') ? [[pointer.slice('/agent/'.length), message]] : [],
    ),
  ),
  config: errorsOf(
    layout,
    errors.filter(({ pointer }) => !/^\/(options|agent)\//.test(pointer)),
  ).filter(({ pointer }) => pointer !== ''),
})
const isNone = ({ config, options, agent }: Errors) => config.length + options.length + Object.keys(agent).length === 0

export const useAttach = (integration: string, trigger: TriggerManifest) => {
  const { layout, optionsLayout } = trigger
  const [connection, setConnection] = useState<string>()
  const [draft, setDraft] = useState<Draft>(() => fromInput(layout))
  const [options, setOptions] = useState<Draft>(() => fromInput(optionsLayout))
  const [agent, setAgent] = useState({ url: server.value?.sandbox?.agent ?? '', id: '' })
  const [errors, setErrors] = useState<Errors>(noErrors)
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const key = useKey()
  const [made, setMade] = useState<Subscription>()
  const submit = async () => {
    if (busy) return
    const formErrors = { config: problemsOf(layout, draft), options: problemsOf(optionsLayout, options), agent: {} }
    setErrors(formErrors)
    setProblem(undefined)
    if (!isNone(formErrors)) return
    setBusy(true)
    try {
      const filledAgent = Object.fromEntries(Object.entries(agent).filter(([, value]) => value.trim() !== ''))
      const body = {
        integration,
        trigger: trigger.id,
        connection,
        config: toInput(layout, draft),
        options: toInput(optionsLayout, options),
        agent: filledAgent,
      }
      setMade(await post<Subscription>('subscriptions', body, { headers: key.of(body) }))
      key.forget()
    } catch (thrown) {
      const refusal = problemOf(thrown)
      const refused = refusedFields(trigger, refusal)
      setErrors(refused)
      if (isNone(refused)) setProblem(refusal)
    }
    setBusy(false)
  }
  return {
    connection,
    choose(id: string | undefined) {
      if (connection !== undefined && id !== connection) setDraft((currentDraft) => forgetChoices(layout, currentDraft))
      setConnection(id)
    },
    draft,
    setDraft,
    options,
    setOptions,
    agent,
    setAgent,
    errors,
    problem,
    busy,
    made,
    submit,
  }
}
export type AttachState = ReturnType<typeof useAttach>
