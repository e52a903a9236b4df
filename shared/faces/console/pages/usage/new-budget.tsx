/** Makes a budget: whose runs it counts is chosen by name. */
import { useState } from 'preact/hooks'
import type { Budget, NewBudget } from '../../../../api/resources/budget.ts'
import type { Person } from '../../../../api/resources/person.ts'
import { integrationChoices, post, useConnections, useItems } from '../../api/index.ts'
import { ChoiceField, DialogButton, errorAt, FormDialog, TextField } from '../../ui/index.ts'
import type { Choice } from '../../ui/index.ts'
import { useTokenChoices } from '../approvals/use-names.ts'
import { periods } from './words.ts'

type Draft = { scope: Budget['scope']; subject: string; integration: string; credits: string; period: Budget['period'] }
const empty: Draft = { scope: 'tenant', subject: '', integration: '', credits: '', period: 'month' }

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const bodyOf = ({ scope, subject, integration, credits, period }: Draft): NewBudget => ({
  scope,
  ...(scope === 'tenant' ? {} : { subject }),
  ...(integration === '' ? {} : { integration }),
  credits: Number(credits),
  period,
  timeZone,
})

const scopes: [Budget['scope'], string][] = [
  ['tenant', 'All runs together'],
  ['person', 'Runs for one person'],
  ['connection', 'Runs with one connection'],
  ['token', 'Runs of one token or program'],
]

/** Who or what of a kind can be chosen, by name. */
const useSubjects = (scope: Budget['scope']): Choice[] => {
  const people = useItems<Person>(scope === 'person' ? 'people' : undefined)
  const connections = useConnections(undefined, scope === 'connection')
  const tokens = useTokenChoices()
  if (scope === 'person') return people.items.map(({ id }) => [id, id])
  if (scope === 'connection') return connections.choices
  return scope === 'token' ? tokens.map(({ value, label }) => [value, label]) : []
}

const nouns = { person: 'Person', connection: 'Connection', token: 'Token or program' }

const NewBudgetForm = ({ draft: first, close, made }: { draft: Partial<Draft>; close(): void; made(): void }) => {
  const [draft, setDraft] = useState<Draft>({ ...empty, ...first })
  const set = (changes: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))
  const { scope, subject } = draft
  const subjects = useSubjects(scope)
  const create = async () => {
    await post('budgets', bodyOf(draft))
    close()
    made()
  }
  return (
    <FormDialog title="Make a budget" submit="Make the budget" act={create} onClose={close}>
      {(problem) => (
        <>
          <p>A run that might cost more than what is left of it fails before anything is sent.</p>
          <TextField
            label="Credits"
            type="number"
            min={0}
            step="any"
            required
            value={draft.credits}
            change={(credits) => set({ credits })}
            error={errorAt(problem, 'credits')}
          />
          <ChoiceField
            label="For each"
            value={draft.period}
            change={(period) => set({ period: period as Budget['period'] })}
            options={[
              ['day', 'Day'],
              ['week', 'Week, from Monday'],
              ['month', 'Month'],
              ['total', `Once, ${periods.total}`],
            ]}
          />
          <ChoiceField
            label="Counts"
            value={scope}
            change={(value) => set({ scope: value as Budget['scope'], subject: '' })}
            options={scopes}
          />
          {scope !== 'tenant' && (
            <ChoiceField
              label={nouns[scope]}
              value={subject}
              change={(value) => set({ subject: value })}
              options={[['', 'Choose…'], ...subjects]}
              error={errorAt(problem, 'subject')}
            />
          )}
          <ChoiceField
            label="Of"
            value={draft.integration}
            change={(integration) => set({ integration })}
            options={[['', 'Every integration'], ...integrationChoices()]}
          />
        </>
      )}
    </FormDialog>
  )
}

export const NewBudgetButton = ({ draft = {}, made }: { draft?: Partial<Draft>; made(): void }) => (
  <DialogButton label="Make a budget" kind="primary">
    {(close) => <NewBudgetForm draft={draft} close={close} made={made} />}
  </DialogButton>
)
