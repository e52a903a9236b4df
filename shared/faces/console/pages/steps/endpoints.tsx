/** Picks an endpoint for API Call from the manifest's catalogue. */
import { useState } from 'preact/hooks'
import type { Manifest } from '../../api/index.ts'
import { Badge, Button, Table, TextField } from '../../ui/index.ts'
import { search } from '../picker/search.ts'
import { fillPath, placeholdersOf, refusalOf } from './refusal.ts'

type ApiCall = Manifest['apiCall']
type Operation = ApiCall['operations'][number]
type Values = Record<string, unknown>
type Change = (changes: Values) => void

const maxListedEndpoints = 8
const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const find = (operations: Operation[], query: string) =>
  search(
    operations.map((operation) => ({
      operation,
      title: operation.title,
      keywords: [operation.method, operation.path],
      texts: operation.parameters.map(({ name }) => name),
    })),
    query,
  ).map(({ operation }) => operation)

const EndpointList = ({ operations, pick }: { operations: Operation[]; pick(operation: Operation): void }) => (
  <ul class="endpoint-list">
    {operations.slice(0, maxListedEndpoints).map((operation) => (
      <li key={nameOf(operation)}>
        <button type="button" onClick={() => pick(operation)}>
          <code>{nameOf(operation)}</code> {operation.title}
          {operation.price !== undefined && <Badge tone="warn">{operation.price}</Badge>}
        </button>
      </li>
    ))}
    {operations.length > maxListedEndpoints && (
      <li class="muted">{operations.length - maxListedEndpoints} more. Add a word to narrow the search.</li>
    )}
    {operations.length === 0 && (
      <li class="muted">
        No endpoint matches. Fill in method and path below; endpoints that are not listed can be called too.
      </li>
    )}
  </ul>
)

/** Inputs for the placeholders of a path. */
const PathParts = ({ operation, change }: { operation: Operation; change: Change }) => {
  const [values, setValues] = useState<Record<string, string>>({})
  return placeholdersOf(operation.path).map((name) => (
    <TextField
      key={name}
      label={
        <>
          Path parameter: <code>{name}</code>
        </>
      }
      spellcheck={false}
      value={values[name] ?? ''}
      change={(text) => {
        const filled = { ...values, [name]: text.trim() }
        setValues(filled)
        change({ path: fillPath(operation.path, filled) })
      }}
    />
  ))
}

type Parameter = Operation['parameters'][number]
const kindOf = ({ type, list, choices }: Parameter & { choices?: unknown[] }) =>
  `${list ? 'list of ' : ''}${type}${choices ? `: ${choices.join(', ')}` : ''}`

const Parameters = ({ operation, values, change }: { operation: Operation; values: Values; change: Change }) => {
  const parameters = operation.parameters.filter(({ in: place }) => place !== 'path')
  if (parameters.length === 0) return <p class="muted">This endpoint has no parameters besides those in its path.</p>
  const placeOf = ({ in: place }: Parameter) =>
    place === 'body' || (place === 'either' && operation.method !== 'GET' && operation.method !== 'DELETE')
      ? 'body'
      : 'query'
  const add = (parameter: Parameter) => {
    const place = placeOf(parameter)
    const present = values[place]
    change({
      [place]: {
        ...(typeof present === 'object' && present !== null && !Array.isArray(present) ? present : {}),
        [parameter.name]: '',
      },
    })
  }
  return (
    <details>
      <summary>Parameters ({parameters.length})</summary>
      <Table
        caption="Parameters"
        rows={parameters}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Name', cell: ({ name, required }) => <code>{required ? `${name} (required)` : name}</code> },
          { title: 'Type', cell: kindOf },
          {
            title: 'Goes into',
            cell: (parameter) => (
              <Button
                kind="quiet"
                aria-label={`Add ${parameter.name} to the ${placeOf(parameter)}`}
                onClick={() => add(parameter)}
              >
                Add to {placeOf(parameter)}
              </Button>
            ),
          },
        ]}
      />
    </details>
  )
}

const Refused = ({ apiCall: { deny } }: { apiCall: ApiCall }) =>
  deny.length === 0 ? null : (
    <details>
      <summary>What API Call refuses ({deny.length})</summary>
      <ul>
        {deny.map(({ path, methods, reason, ...otherFields }) => (
          <li key={path + String(methods) + reason}>
            <code>
              {methods?.join('/') ?? 'any method'} {path}
              {'query' in otherFields && ` with ${String(otherFields.query)}`}
            </code>
            : {reason}
          </li>
        ))}
      </ul>
    </details>
  )

/** `values`: the values of the form below; `change` sets some of them. */
export const EndpointPicker = ({ apiCall, values, change }: { apiCall: ApiCall; values: Values; change: Change }) => {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<Operation>()
  const pick = (operation: Operation) => {
    setChosen(operation)
    setQuery('')
    change({ method: operation.method, path: operation.path, query: undefined, body: undefined })
  }
  const refusal = refusalOf(apiCall, String(values['method'] ?? ''), String(values['path'] ?? ''))
  return (
    <div class="endpoints">
      <TextField
        label="Find an endpoint"
        type="search"
        spellcheck={false}
        placeholder={`${apiCall.operations.length} endpoints`}
        value={query}
        change={setQuery}
      />
      {query.trim() !== '' && <EndpointList operations={find(apiCall.operations, query)} pick={pick} />}
      {chosen && (
        <div class="endpoint">
          <p>
            <code>{nameOf(chosen)}</code> {chosen.title}
          </p>
          <PathParts key={nameOf(chosen)} operation={chosen} change={change} />
          <Parameters operation={chosen} values={values} change={change} />
        </div>
      )}
      <Refused apiCall={apiCall} />
      {refusal !== undefined && (
        <p class="note" role="status">
          This request will be refused: {refusal}
        </p>
      )}
    </div>
  )
}
