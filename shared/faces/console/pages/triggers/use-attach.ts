/** The state of the page that attaches a trigger: the connection, the forms, their errors and the new subscription. */
import { useState } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { post, problemOf, server, useConnections, useKey } from '../../api/index.ts'
import type { Problem, TriggerManifest } from '../../api/index.ts'
import { requireContainer } from '../../form/container.ts'
import { useDraft } from '../../form/use-draft.ts'

/** The messages of a refusal about the agent, by the name of its field. */
const agentErrors = (errors: NonNullable<Problem['errors']>): Record<string, string> =>
  Object.fromEntries(
    errors.flatMap(({ pointer, message }) =>
      pointer.startsWith('/agent/') ? [[pointer.slice('/agent/'.length), message]] : [],
    ),
  )

export const useAttach = (integration: string, trigger: TriggerManifest) => {
  const [connection, setConnection] = useState<string>()
  const { items } = useConnections(integration, trigger.container !== null)
  const row = items.find(({ id }) => id === connection)
  const config = useDraft(requireContainer(trigger.layout, trigger.container, row))
  const options = useDraft(trigger.optionsLayout)
  const [agent, setAgent] = useState({ url: server.value?.sandbox?.agent ?? '', id: '' })
  const [wrongAgent, setWrongAgent] = useState<Record<string, string>>({})
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const key = useKey()
  const [made, setMade] = useState<Subscription>()
  /** Shows each error in the form that has its field, and any other refusal as a whole. */
  const refuse = (refusal: Problem) => {
    const errors = refusal.errors ?? []
    const ofAgent = agentErrors(errors)
    setWrongAgent(ofAgent)
    const isShown = [
      options.refuse(errors.filter(({ pointer }) => pointer.startsWith('/options/'))),
      config.refuse(errors.filter(({ pointer }) => !/^\/(options|agent)\//.test(pointer))),
      Object.keys(ofAgent).length > 0,
    ].includes(true)
    if (!isShown) setProblem(refusal)
  }
  const submit = async () => {
    if (busy) return
    setWrongAgent({})
    setProblem(undefined)
    if ([config.check(), options.check()].includes(false)) return
    setBusy(true)
    try {
      const filledAgent = Object.fromEntries(Object.entries(agent).filter(([, value]) => value.trim() !== ''))
      const body = {
        integration,
        trigger: trigger.id,
        connection,
        config: config.input(),
        options: options.input(),
        agent: filledAgent,
      }
      setMade(await post<Subscription>('subscriptions', body, { headers: key.of(body) }))
      key.forget()
    } catch (thrown) {
      refuse(problemOf(thrown))
    }
    setBusy(false)
  }
  return {
    connection,
    choose(id: string | undefined) {
      if (connection !== undefined && id !== connection) config.forget()
      setConnection(id)
    },
    config: config.form,
    options: options.form,
    agent,
    setAgent,
    wrongAgent,
    problem,
    busy,
    made,
    submit,
  }
}
export type AttachState = ReturnType<typeof useAttach>
