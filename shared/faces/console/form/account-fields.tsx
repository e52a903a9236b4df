/** Fields that the account at the provider defines, drawn inside the field that holds their values. */
import { useEffect, useState } from 'preact/hooks'
import { problemOf } from '../api/index.ts'
import type { Problem } from '../api/index.ts'
import { Loading, ProblemBox } from '../ui/index.ts'
import { useForm } from './context.ts'
import { isEmpty, missingParents } from './draft.ts'
import type { Layout, LayoutField, Values } from './draft.ts'
import { Field } from './field.tsx'
import { pointerTo } from './problems.ts'

export type AccountFields = {
  /** The field that holds the values. */
  field: string
  dependsOn: string[]
  /** @throws ApiError */
  load(values: Values, signal: AbortSignal): Promise<{ layout: Layout }>
}

const useLayout = ({ dependsOn, load }: AccountFields, values: Values, canLoad: boolean) => {
  const [state, setState] = useState<{ layout?: Layout; problem?: Problem }>({})
  const [turn, setTurn] = useState(0)
  const key = JSON.stringify(dependsOn.map((name) => values[name]))
  useEffect(() => {
    setState({})
    if (!canLoad) return undefined
    const aborter = new AbortController()
    load(Object.fromEntries(dependsOn.map((name) => [name, values[name]])), aborter.signal).then(
      ({ layout }) => !aborter.signal.aborted && setState({ layout }),
      (thrown: unknown) => !aborter.signal.aborted && setState({ problem: problemOf(thrown) }),
    )
    return () => aborter.abort()
  }, [key, turn, canLoad])
  return { ...state, retry: () => setTurn(turn + 1) }
}

const AccountField = ({
  field,
  holder,
  held,
  set,
}: {
  field: LayoutField
  holder: string
  held: Values
  set(held: Values): void
}) => {
  const { disabled } = useForm()
  const { [field.name]: value, ...otherValues } = held
  const isEmptied = value === null
  const put = (next: unknown) => set(isEmpty(next) ? otherValues : { ...held, [field.name]: next })
  return (
    <>
      {!isEmptied && (
        <Field field={{ ...field, place: 'main' }} pointer={pointerTo(holder, field.name)} value={value} set={put} />
      )}
      <label class="empties">
        <input
          type="checkbox"
          disabled={disabled}
          checked={isEmptied}
          onChange={({ currentTarget }) => put(currentTarget.checked ? null : undefined)}
        />{' '}
        Empty “{field.title}”
      </label>
    </>
  )
}

type AccountFieldsProps = { field: LayoutField; account: AccountFields; value: unknown; set(value: unknown): void }

export const AccountFieldsControl = ({ field, account, value, set }: AccountFieldsProps) => {
  const { layout: form, values } = useForm()
  const missing = missingParents(form, account, values)
  const { layout, problem, retry } = useLayout(account, values, missing.length === 0)
  const held = (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as Values
  if (!layout)
    return (
      <>
        {missing.length > 0 && (
          <p class="muted">
            Choose {missing.map((title) => `“${title}”`).join(' and ')} to see the fields of the account, or enter their
            values as JSON.
          </p>
        )}
        {missing.length === 0 && !problem && <Loading what="the fields of the account" />}
        <ProblemBox problem={problem} retry={retry} />
        <Field field={field} pointer={pointerTo(field.name)} value={value} set={set} />
      </>
    )
  return (
    <fieldset class="field account-fields">
      <legend>{field.title}</legend>
      {layout.fields.length === 0 && <p class="muted">The account defines no fields here.</p>}
      {layout.fields.map((accountField) => (
        <AccountField
          key={accountField.name}
          field={accountField}
          holder={field.name}
          held={held}
          set={(next) => set(Object.keys(next).length > 0 ? next : undefined)}
        />
      ))}
    </fieldset>
  )
}
