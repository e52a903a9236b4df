import { failField } from '#kit'
import { approvalState } from '../../../api/resources/approval.ts'
import type { NewApprovalRule } from '../../../api/resources/approval-rule.ts'
import type { Item } from '../operations.ts'
import { amount, choice, command, flag, paging, text, texts } from '../declare.ts'
import type { ValuesOf } from '../declare.ts'
import { ifAny } from '../input.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { plain, shortTime } from '../table.ts'

type Rule = Item<'approvals.listApprovalRules'>
type Conditions = NewApprovalRule['when']
type Deciders = NewApprovalRule['by']

const effects = ['read', 'create', 'update', 'delete'] as const

const readEffects = (names: string[]) =>
  names.map((name) => {
    const effect = effects.find((known) => known === name)
    if (effect === undefined) throw failField('effect', `"${name}" is not an effect. Effects: ${effects.join(', ')}.`)
    return effect
  })

const ruleOptions = {
  name: text('<name>', 'a name to recognise it by'),
  integration: texts('-i <id>', 'only runs of this integration, can be repeated'),
  step: texts('<integration/step>', 'only runs of this step, can be repeated'),
  toolSet: texts('<id>', 'only runs of steps in this tool set, can be repeated'),
  effect: texts('<effect>', `only runs that do this at the provider: ${effects.join(', ')}; can be repeated`),
  creditsOver: amount('<credits>', 'only runs that may cost more than this; 0: all that cost anything'),
  object: texts(
    '<id>',
    "only runs that touch this container (such as a project, by the provider's id) or something in it; can be repeated",
  ),
  connection: texts('-c <id>', 'only runs with this connection, can be repeated'),
  token: texts('<id>', 'only runs of this token or grant, can be repeated'),
  forPerson: texts('<id>', "only runs for this end user, by your platform's id; can be repeated"),
  by: choice('<who>', 'who decides: approvers (default), or caller: whoever made the call as well', [
    'caller',
    'approvers',
  ]),
  byPerson: texts('<id>', 'only this end user decides, can be repeated'),
  byToken: texts('<id>', 'only this token decides, can be repeated'),
  expiresMinutes: amount('<minutes>', 'how long a run waits for a decision', { isWhole: true }),
}
type RuleValues = ValuesOf<'', typeof ruleOptions>

/** Undefined where no condition is named. */
const readConditions = ({ creditsOver, ...values }: RuleValues): Conditions | undefined => {
  const conditions = Object.fromEntries(
    Object.entries({
      integrations: ifAny(values.integration),
      steps: ifAny(values.step),
      toolSets: ifAny(values.toolSet),
      effects: ifAny(readEffects(values.effect)),
      creditsOver,
      objects: ifAny(values.object),
      connections: ifAny(values.connection),
      tokens: ifAny(values.token),
      people: ifAny(values.forPerson),
    } satisfies { [Name in keyof Required<Conditions>]: Conditions[Name] }).filter(([, value]) => value !== undefined),
  ) as Conditions
  return Object.keys(conditions).length > 0 ? conditions : undefined
}

const readDeciders = ({ by, byPerson, byToken }: RuleValues): Deciders | undefined => {
  if (byPerson.length === 0 && byToken.length === 0) return by
  if (by !== undefined) throw failField('by', 'Say who decides by --by, or by --by-person and --by-token; not by both.')
  return {
    ...(byPerson.length > 0 ? { people: byPerson } : {}),
    ...(byToken.length > 0 ? { tokens: byToken } : {}),
  }
}

const readRule = (values: RuleValues) => ({
  when: readConditions(values),
  by: readDeciders(values),
  expiresMinutes: values.expiresMinutes,
})

const deciders = (by: Deciders) =>
  typeof by === 'string'
    ? by
    : [...(by.people ?? []).map((id) => `person ${id}`), ...(by.tokens ?? []).map((id) => `token ${id}`)].join(', ')

const holds = (when: Conditions) => {
  const conditions = Object.entries(when).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
  return conditions.length === 0 ? 'everything that changes or costs something' : conditions.join('; ')
}

const describe = ({ id, when, by }: Rule) =>
  `Rule ${plain(id)} holds ${plain(holds(when))}. Who decides: ${plain(deciders(by))}.`

const decisionCommands = [
  command({ usage: 'approvals', about: 'runs that a rule holds until somebody decides' }),
  command(
    {
      usage: 'approvals list',
      about: 'list runs that wait for a decision, and those that ended, newest first',
      options: {
        state: choice('<state>', 'only in this state', approvalState.options),
        person: personFilter,
        ...paging(),
      },
    },
    async ({ call, list, typed }, filter) => {
      const page = await call('approvals.listApprovals', filter)
      const personOf = personColumn(page.items)
      list(page, `Nothing was held yet. Rules are made with: ${typed('approval-rules create')}`, (approval) => ({
        approval: approval.id,
        state: approval.state,
        step: `${approval.integration} ${approval.step}`,
        credits: approval.credits === null ? '' : `${approval.credits}`,
        at: shortTime(approval.createdAt),
        until: shortTime(approval.expiresAt),
        ...personOf(approval),
        outcome: approval.code ?? '',
      }))
    },
  ),
  command(
    { usage: 'approvals get <id>', about: 'show one: what would be sent, for whom, and what it may cost' },
    async ({ call, show }, { id }) => show(await call('approvals.getApproval', { id })),
  ),
  command(
    {
      usage: 'approvals approve <id>',
      about: 'send exactly what was shown, once',
      options: {
        maxCredits: amount('<credits>', 'a smaller limit than the most that it may cost'),
        version: amount('<n>', 'the version that was looked at, where it has changed while it waited', {
          isWhole: true,
        }),
      },
    },
    async ({ call, say, typed }, { id, maxCredits, version }) => {
      const approval = await call('approvals.approveRun', { id, maxCredits, version })
      const { id: fullId, title, integration, step } = approval
      say(
        approval,
        `Approved: ${plain(title ?? `${integration} ${step}`)}. What became of it: ${typed(`approvals get ${plain(fullId)}`)}`,
      )
    },
  ),
  command(
    {
      usage: 'approvals deny <id>',
      about: 'end it: nothing is sent',
      options: { reason: text('<words>', 'why, told to whoever made the call') },
    },
    async ({ call, say }, { id, reason }) => {
      const approval = await call('approvals.denyRun', { id, reason })
      const { title, integration, step } = approval
      say(approval, `Denied, and nothing is sent: ${plain(title ?? `${integration} ${step}`)}.`)
    },
  ),
]

const ruleCommands = [
  command({ usage: 'approval-rules', about: 'which runs are held, and who decides' }),
  command(
    { usage: 'approval-rules list', about: 'list the rules, first those of the operator', options: paging() },
    async ({ call, list, typed }, page) =>
      list(
        await call('approvals.listApprovalRules', page),
        `No rules, so nothing is held. Make one with: ${typed('approval-rules create')}`,
        (rule) => ({
          rule: rule.id,
          name: rule.name ?? '',
          'of the': rule.source,
          by: deciders(rule.by),
          waits: `${rule.expiresMinutes} min`,
          holds: holds(rule.when),
        }),
      ),
  ),
  command({ usage: 'approval-rules get <id>', about: 'show one with its conditions' }, async ({ call, show }, { id }) =>
    show(await call('approvals.getApprovalRule', { id })),
  ),
  command(
    {
      usage: 'approval-rules create',
      about: 'hold runs that meet every condition; without conditions, all that change or cost something',
      options: ruleOptions,
    },
    async ({ call, say }, values) => {
      const rule = await call('approvals.createApprovalRule', { name: values.name, ...readRule(values) })
      say(rule, describe(rule))
    },
  ),
  command(
    {
      usage: 'approval-rules change <id>',
      about: 'change one; conditions replace all that it had, and fields that are not named stay',
      options: { ...ruleOptions, anyRun: flag('drop its conditions: hold all that change or cost something') },
    },
    async ({ call, say }, { id, name, anyRun, ...values }) => {
      const { when, ...others } = readRule({ name, ...values })
      if (anyRun && when !== undefined)
        throw failField('any-run', '--any-run drops the conditions, so it cannot go with one.')
      const changes = {
        // An empty name takes it away.
        name: name === '' ? null : name,
        when: anyRun ? {} : when,
        ...others,
      }
      if (Object.values(changes).every((value) => value === undefined))
        throw failField('when', 'Nothing to change: name a condition, or one of --name, --by and --expires-minutes.')
      const rule = await call('approvals.changeApprovalRule', { id, ...changes })
      say(rule, describe(rule))
    },
  ),
  command(
    { usage: 'approval-rules delete <id>', about: 'delete one; runs that it holds already still wait' },
    async ({ call, say }, { id }) => {
      await call('approvals.deleteApprovalRule', { id })
      say({ deleted: id }, `Rule ${plain(id)} is deleted.`)
    },
  ),
]

export const approvalCommands = [...decisionCommands, ...ruleCommands]
