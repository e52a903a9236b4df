/** The form for a layout of a manifest. Its parent holds the entered values and sends them. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { AccountFieldsControl } from './account-fields.tsx'
import type { AccountFields } from './account-fields.tsx'
import { FormContext, idOf } from './context.ts'
import type { FormState, LoadOptions } from './context.ts'
import { isEmpty, sectionsOf, setValue, valuesOf } from './draft.ts'
import type { Draft, Layout, LayoutField } from './draft.ts'
import { Field } from './field.tsx'
import { pointerTo } from './problems.ts'
import type { FormError } from './problems.ts'

export type FormProps = {
  layout: Layout
  draft: Draft
  /** Takes a function, like the setter of `useState`, because values may change while a file is uploaded. */
  onChange(change: (draft: Draft) => Draft): void
  /** From `problemsOf` and `errorsOf`; a new list moves the focus. */
  errors?: FormError[]
  optionsFor?: LoadOptions | undefined
  accountFields?: AccountFields | undefined
  integration?: string
  disabled?: boolean
  onSubmit?(): void
  /** The form's buttons. */
  children?: ComponentChildren
}

const none: FormError[] = []

/**
 * Moves the focus to the input of an error, or to the nearest element around it, and opens folded sections on the way.
 */
const goTo = (base: string, pointer: string) => {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const element = document.getElementById(idOf(base, at))
    if (!element) continue
    const folded = element.closest('details')
    if (folded) folded.open = true
    element.focus()
    return
  }
}

const Summary = ({ base, errors }: { base: string; errors: FormError[] }) => {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (errors.length > 0) element.current?.focus()
  }, [errors])
  if (errors.length === 0) return null
  return (
    <div class="problem" role="alert" tabIndex={-1} ref={element}>
      <p>{errors.length === 1 ? 'Fix this error:' : `Fix these ${errors.length} errors:`}</p>
      <ul>
        {errors.map(({ pointer, message }) => (
          <li key={pointer + message}>
            {pointer === '' ? (
              message
            ) : (
              <a
                href={`#${idOf(base, pointer)}`}
                onClick={(event) => {
                  event.preventDefault()
                  goTo(base, pointer)
                }}
              >
                {message}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

const OneOf = ({
  layout,
  draft,
  choose,
  disabled,
  base,
}: {
  layout: Layout
  draft: Draft
  choose(set: number): void
  disabled: boolean
  base: string
}) =>
  layout.oneOf && layout.oneOf.sets.length > 1 ? (
    <fieldset class="one-of" disabled={disabled}>
      <legend>{layout.oneOf.exactlyOne ? 'Fill in exactly one of' : 'Fill in at least one of'}</legend>
      <div class="choices">
        {layout.oneOf.sets.map(({ title }, index) => (
          <label key={title}>
            <input type="radio" name={`${base}-set`} checked={draft.set === index} onChange={() => choose(index)} />{' '}
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  ) : null

export const Form = (props: FormProps) => {
  const {
    layout,
    draft,
    onChange,
    errors = none,
    optionsFor,
    accountFields,
    integration,
    disabled = false,
    onSubmit,
    children,
  } = props
  const base = useId()
  const { main, more } = sectionsOf(layout, draft)
  const state: FormState = {
    base,
    layout,
    draft,
    values: valuesOf(layout, draft),
    errors,
    optionsFor,
    integration,
    disabled,
  }
  const ofSet = new Set(layout.oneOf?.sets.flatMap(({ fields }) => fields))
  const firstOfSet = main.findIndex(({ name }) => ofSet.has(name))
  // Once open, the section stays open: clearing a field must not hide that field.
  const wasOpen = useRef(false)
  wasOpen.current ||= more.some(
    ({ name }) =>
      !isEmpty(draft.values[name]) || errors.some(({ pointer }) => `${pointer}/`.startsWith(`${pointerTo(name)}/`)),
  )
  const draw = (field: LayoutField) => {
    const controlProps = {
      field,
      value: draft.values[field.name],
      set: (value: unknown) => onChange((currentDraft) => setValue(layout, currentDraft, field.name, value)),
    }
    return accountFields?.field === field.name ? (
      <AccountFieldsControl key={field.name} {...controlProps} account={accountFields} />
    ) : (
      <Field key={field.name} {...controlProps} pointer={pointerTo(field.name)} />
    )
  }
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <FormContext.Provider value={state}>
      <form class="form" noValidate onSubmit={submit}>
        <Summary base={base} errors={errors} />
        {main.slice(0, Math.max(firstOfSet, 0)).map(draw)}
        <OneOf
          layout={layout}
          draft={draft}
          base={base}
          disabled={disabled}
          choose={(set) => onChange((currentDraft) => ({ ...currentDraft, set }))}
        />
        {main.slice(Math.max(firstOfSet, 0)).map(draw)}
        {more.length > 0 && (
          <details class="more-fields" open={wasOpen.current || undefined}>
            <summary>More fields ({more.length})</summary>
            {more.map(draw)}
          </details>
        )}
        {children}
      </form>
    </FormContext.Provider>
  )
}
