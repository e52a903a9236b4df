/** The container, such as a project, for steps and triggers that are given none. */
import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { OptionPage } from '../../../../api/resources/form.ts'
import { manifestOf, post } from '../../api/index.ts'
import { SubmitForm, ThingField } from '../../ui/index.ts'
import type { Named } from '../../ui/index.ts'
import { useThingNames } from '../steps/use-thing-names.ts'
import { patch } from './actions.tsx'
import type { Changed } from './actions.tsx'
import { scopeFieldOf } from './containers.tsx'

const takesDefault = (integration: string) => manifestOf(integration)?.steps.some(({ container }) => container !== null)

export const DefaultContainer = ({ row, changed }: { row: Connection; changed: Changed }) => {
  const [container, setContainer] = useState(row.defaultContainer ?? '')
  const [picked, setPicked] = useState<Named[]>([])
  const names = useThingNames(row.id)
  const scope = scopeFieldOf(row.integration)
  if (!scope || !takesDefault(row.integration)) return null
  const title = scope.title.toLowerCase()
  const find = async (query: string): Promise<Named[]> => {
    const { options } = await post<OptionPage>(
      `steps/${encodeURIComponent(row.integration)}/${encodeURIComponent(scope.step)}/options`,
      { connection: row.id, field: scope.field, ...(query === '' ? {} : { query }) },
    )
    const named = options.map(({ value, label }): Named => [value, label])
    setPicked(named)
    return named
  }
  const nameOf = (id: string) => picked.find(([value]) => value === id)?.[1] ?? names.get(id) ?? '(name not known)'
  const save = async () => {
    await patch(row, { defaultContainer: container === '' ? null : container })
    changed(container === '' ? `Default ${title} removed.` : `Default ${title} saved.`)
  }
  return (
    <details class="panel" open={row.defaultContainer !== null}>
      <summary>
        <h2>Default {title}</h2>{' '}
        <span class="muted">{row.defaultContainer === null ? 'None' : nameOf(row.defaultContainer)}</span>
      </summary>
      <p class="muted">
        Used when a step or trigger names no {title}. A run with the id of a start uses the {title} of its event
        instead.
      </p>
      <SubmitForm submit="Save" act={save}>
        {() => (
          <ThingField
            label={`Default ${title}`}
            value={container}
            title={nameOf(container)}
            find={find}
            pick={setContainer}
          />
        )}
      </SubmitForm>
    </details>
  )
}
