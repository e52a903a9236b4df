/** Picks an endpoint for API Call from the manifest's catalogue, and draws its parameters. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Manifest } from '../../api/index.ts'
import { toInput } from '../../form/draft.ts'
import type { Draft } from '../../form/draft.ts'
import { Form } from '../../form/form.tsx'
import { problemsOf } from '../../form/problems.ts'
import type { FormError } from '../../form/problems.ts'
import { Badge, Button, TextField } from '../../ui/index.ts'
import { search } from '../picker/search.ts'
import { endpointLayout, requestOf } from './endpoint-layout.ts'
import type { Operation } from './endpoint-layout.ts'
import { refusalOf } from './refusal.ts'

type ApiCall = Manifest['apiCall']
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

/** The endpoint that is chosen, and the form of its parameters, whose values become the request. */
export const useEndpoint = (change: Change) => {
  const [operation, setOperation] = useState<Operation>()
  const [draft, setDraft] = useState<Draft>({ values: {} })
  const [errors, setErrors] = useState<FormError[]>([])
  const layout = useMemo(() => (operation ? endpointLayout(operation) : { fields: [], oneOf: null }), [operation])
  const isFirst = useRef(true)
  // Before it can be sent: a run right after the last letter has it.
  useLayoutEffect(() => {
    if (operation) change(requestOf(operation, toInput(layout, draft)))
    else if (!isFirst.current) change({ path: undefined, query: undefined, body: undefined })
    isFirst.current = false
  }, [operation, draft])
  return {
    operation,
    form: { layout, draft, onChange: setDraft, errors },
    choose(next: Operation | undefined) {
      setDraft({ values: {} })
      setErrors([])
      setOperation(next)
    },
    /** Whether nothing is wrong with the parameters; otherwise the form shows what is. */
    check(): boolean {
      const wrong = problemsOf(layout, draft)
      setErrors(wrong)
      return wrong.length === 0
    },
  }
}
export type Endpoint = ReturnType<typeof useEndpoint>

type PickerProps = { apiCall: ApiCall; values: Values; endpoint: Endpoint; onSubmit(): void }

/** `values`: the request as it is in the form below. */
export const EndpointPicker = ({ apiCall, values, endpoint, onSubmit }: PickerProps) => {
  const [query, setQuery] = useState('')
  const { operation, form, choose } = endpoint
  const pick = (next: Operation) => {
    choose(next)
    setQuery('')
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
      {operation && (
        <section class="endpoint" aria-label="Endpoint">
          <p class="row">
            <strong>{operation.title}</strong> <code>{nameOf(operation)}</code>
            <Button kind="quiet" onClick={() => choose(undefined)}>
              Fill in the request by hand
            </Button>
          </p>
          {form.layout.fields.length === 0 && <p class="muted">This endpoint has no parameters.</p>}
          <Form key={nameOf(operation)} {...form} onSubmit={onSubmit} />
        </section>
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
