import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { Checks, SubmitForm, TextField } from '../../ui/index.ts'
import { patch } from './actions.tsx'
import type { Changed } from './actions.tsx'
import { Containers, scopeFieldOf } from './containers.tsx'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Limits what a connection may be used for. */
export const Narrow = ({ row, changed }: { row: Connection; changed: Changed }) => {
  const [chosen, setChosen] = useState<string[]>(row.policy?.methods ?? methods)
  const [paths, setPaths] = useState(row.policy?.paths?.join('\n') ?? '')
  const [scopes, setScopes] = useState(row.policy?.scopes ?? [])
  const scope = scopeFieldOf(row.integration)
  const lines = paths.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const save = async () => {
    const policy = {
      ...(chosen.length < methods.length ? { methods: chosen } : {}),
      ...(lines.length > 0 ? { paths: lines } : {}),
      ...(scopes.length > 0 ? { scopes } : {}),
    }
    await patch(row, { policy: Object.keys(policy).length === 0 ? null : policy })
    changed('Saved. The limits apply at once.')
  }
  return (
    <details class="panel cn-narrow" open={row.policy !== null}>
      <summary>
        <h2>What it may do</h2>{' '}
        <span class="muted">{row.policy === null ? 'Everything that its integration allows' : 'Limited'}</span>
      </summary>
      <SubmitForm submit="Save" act={save}>
        {() => (
          <>
            <Checks
              legend="Only these methods"
              chosen={chosen}
              change={setChosen}
              options={methods.map((method) => ({ value: method, label: method }))}
            />
            <TextField
              label="Only these paths"
              rows={3}
              spellcheck={false}
              value={paths}
              change={setPaths}
              hint="One per line. “*” matches one segment, a trailing “/**” everything below. Empty: every path."
            />
            {scope && (
              <Containers
                row={row}
                scope={scope}
                none="the whole account may be used."
                chosen={scopes}
                choose={setScopes}
              />
            )}
          </>
        )}
      </SubmitForm>
    </details>
  )
}
