// Compiled, not run. Each line after an expected error is wrong in one thing alone: the test also compiles it without
// the comment.
import { createPack } from 'toolyard'
import type {
  AgentStart,
  AnyAgentStart,
  Caller,
  IntegrationId,
  Pack,
  StepId,
  StepInput,
  StepOutput,
  TriggerConfig,
  TriggerEvent,
} from 'toolyard'

const caller: Caller = { tenant: 'default' }
declare const pack: Pack
/** What is only known when the program runs. */
declare const chosen: { integration: string; step: string; trigger: string; values: unknown }

export const steps = async (): Promise<void> => {
  const { run, begin } = pack.steps
  const made = await run(caller, {
    integration: 'work-board',
    step: 'create-card',
    input: { idList: 'a', name: 'Press kit', desc: undefined },
  })
  if (made.ok) {
    const card: StepOutput<'work-board', 'create-card'> = made.value
    const [id, name]: [string, string | undefined] = [made.value.id, card.name]
    console.log(id, name, made.value.fieldOfTheProvider)
    // @ts-expect-error an optional field may be absent
    console.log(made.value.name.length)
    // @ts-expect-error a text
    const wrong: number = made.value.id
    console.log(wrong)
  }
  const dry = await run(caller, {
    integration: 'work-board',
    step: 'create-card',
    input: { idList: 'a' },
    dryRun: true,
  })
  if (dry.ok) console.log(dry.value.requests.length, dry.value.complete satisfies boolean)
  const { coming } = begin(caller, {
    integration: 'contact-data',
    step: 'find-contact',
    input: { email: 'kim@papermill.example' },
  })
  const found = await coming
  if (found.ok) console.log(found.value.matched satisfies boolean, found.value.record?.firstName?.length)
  const input: StepInput<'anz-data', 'people-search'> = { company: 'Papermill', limit: 5 }
  await run(caller, { integration: 'anz-data', step: 'people-search', input, connection: 'Team', deadlineMs: 1000 })
  await run(caller, {
    integration: 'work-board',
    step: 'api-call',
    input: { method: 'GET', path: '/1/boards/a', query: { fields: ['name'] } },
  })

  // @ts-expect-error no such field
  await run(caller, { integration: 'work-board', step: 'create-card', input: { idList: 'a', nmae: 'Press kit' } })
  // @ts-expect-error the list is missing
  await run(caller, { integration: 'work-board', step: 'create-card', input: { name: 'Press kit' } })
  // @ts-expect-error not a text
  await run(caller, { integration: 'work-board', step: 'create-card', input: { idList: 7 } })
  // @ts-expect-error no such choice
  await run(caller, { integration: 'work-board', step: 'get-boards', input: { lists: 'opne' } })
  // @ts-expect-error no input
  await run(caller, { integration: 'work-board', step: 'get-boards' })
  // @ts-expect-error no such step
  await run(caller, { integration: 'work-board', step: 'create-crad', input: { idList: 'a' } })
  // @ts-expect-error a step of another integration
  await run(caller, { integration: 'work-board', step: 'find-contact', input: { email: 'kim@papermill.example' } })
  // @ts-expect-error no such field, in the background
  begin(caller, { integration: 'work-board', step: 'create-card', input: { idList: 'a', nmae: 'Press kit' } })
  // @ts-expect-error no such field in a type of its own
  const other: StepInput<'anz-data', 'people-search'> = { firm: 'Papermill' }
  console.log(other)
  // @ts-expect-error no such step in a type of its own
  type None = StepInput<'anz-data', 'search-people'>
  console.log({} as None)
}

/** Integrations of the platform's own, and ids that come from elsewhere. */
export const unknownIds = async (): Promise<void> => {
  const own = await pack.steps.run(caller, { integration: 'own-thing', step: 'greet', input: { name: 'Kim' } })
  if (own.ok) console.log(own.value as { id: string })
  const { integration, step, trigger, values } = chosen
  await pack.steps.run(caller, { integration, step, input: values })
  await pack.steps.run(caller, { integration: 'work-board', step, input: values })
  await pack.steps.run(caller, { ...chosen, input: values })
  pack.steps.begin(caller, { integration: 'own-thing', step, input: values })
  await pack.subscriptions.create(caller, { integration, trigger, config: values })
  await pack.subscriptions.create(caller, { integration: 'own-thing', trigger: 'made' })
  const ids: IntegrationId[] = ['work-board', 'anz-data', 'contact-data']
  const one: StepId<'work-board'> = 'update-card'
  console.log(ids, one)
}

export const triggers = async (): Promise<void> => {
  const { create } = pack.subscriptions
  const config: TriggerConfig<'work-board', 'new-card'> = { boards: ['a'] }
  await create(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    config,
    agent: { url: 'https://agents.example/new' },
    options: { settleMs: 5 },
  })
  await create(caller, { integration: 'work-board', trigger: 'new-card', config: { boards: ['a'], ways: ['copied'] } })
  // @ts-expect-error no such field
  await create(caller, { integration: 'work-board', trigger: 'new-card', config: { boards: ['a'], lits: [] } })
  // The boards may be the default of the connection.
  await create(caller, { integration: 'work-board', trigger: 'new-card', config: {} })
  await create(caller, { integration: 'work-board', trigger: 'new-card' })
  // @ts-expect-error no such trigger
  await create(caller, { integration: 'work-board', trigger: 'new-crad', config: { boards: ['a'] } })
  // @ts-expect-error this integration has no triggers
  await create(caller, { integration: 'anz-data', trigger: 'new-card', config: { boards: ['a'] } })

  const take = async (start: AgentStart): Promise<void> => {
    if (start.type === 'work-board.new-card') {
      const event: TriggerEvent<'work-board', 'new-card'> = start.data.event
      console.log(event.way, start.data.event.card?.name, start.data.start)
      // @ts-expect-error no such field of the event
      console.log(start.data.event.crad)
    }
    // @ts-expect-error no such trigger
    if (start.type === 'work-board.new-crad') console.log(start)
  }
  const taking = await createPack({ onStart: take })
  const inPlace = await createPack({
    async onStart(start) {
      switch (start.type) {
        case 'work-board.card-moved':
          console.log(start.data.event.actionId)
          break
        case 'work-board.card-due-date-reminder':
          // @ts-expect-error a field of another trigger's event
          console.log(start.data.event.way)
      }
    },
  })
  const takingAny = await createPack({
    async onStart(start: AnyAgentStart) {
      if (start.type === 'own-thing.made') console.log(start.data.event as { id: string })
    },
  })
  await Promise.all([taking.close(), inPlace.close(), takingAny.close()])
}
