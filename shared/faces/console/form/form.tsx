/** The form for a layout of a manifest. Its parent holds the entered values and sends them. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { AccountFieldsControl } from './account-fields.tsx'
import type { AccountFields } from './account-fields.tsx'
import { AddedFields } from './added-fields.tsx'
import type { Drawn } from './added-fields.tsx'
import { FormContext, idOf } from './context.ts'
import type { FormState, LoadOptions } from './context.ts'
import { excludedBy, isEmpty, sectionsOf, setFields, setValue, valuesOf } from './draft.ts'
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
  /** Names of chosen things, by id, where their choices cannot be loaded yet. */
  names?: Map<string, string> | undefined
  /** The optional fields of a search are added one by one. */
  isSearch?: boolean
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
  // Before anything else can be clicked, so that the focus is not taken from it.
  useLayoutEffect(() => {
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

/** The fields of which one set must be filled, with what is enough. */
const OneOf = ({ layout, draft, draw, fields }: Pick<FormProps, 'layout' | 'draft'> & Drawn) => {
  const { sets, exactlyOne } = layout.oneOf!
  const isFilled = sets.some((set) => set.fields.every((name) => !isEmpty(draft.values[name])))
  return (
    <fieldset class="one-of">
      <legend>{exactlyOne ? 'Fill in exactly one of these' : 'Fill in at least one of these'}</legend>
      {sets.length > 1 && (
        <p class="field-about">
          Enough: {sets.map(({ title }) => title).join(', or ')}.{' '}
          <span role="status">{isFilled ? '✓ Enough is filled in.' : ''}</span>
        </p>
      )}
      {fields.map(draw)}
    </fieldset>
  )
}

const isWrong = (errors: FormError[], name: string) =>
  errors.some(({ pointer }) => `${pointer}/`.startsWith(`${pointerTo(name)}/`))

/** The fields before those of the sets, those of the sets, and those after them. Without sets, the first stands alone. */
const partsOf = (main: LayoutField[], ofSets: Set<string>): [LayoutField[], LayoutField[], LayoutField[]] => {
  const at = main.findIndex(({ name }) => ofSets.has(name))
  const before = at < 0 ? 1 : at
  return [
    main.slice(0, before),
    main.filter(({ name }) => ofSets.has(name)),
    main.slice(before).filter(({ name }) => !ofSets.has(name)),
  ]
}

export const Form = (props: FormProps) => {
  const {
    layout,
    draft,
    onChange,
    errors = none,
    optionsFor,
    accountFields,
    integration,
    names,
    isSearch = false,
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
    names,
    disabled,
  }
  const ofSets = setFields(layout)
  const [first, together, others] = partsOf(main, ofSets)
  // Once open, the section stays open: clearing a field must not hide that field.
  const wasOpen = useRef(false)
  wasOpen.current ||= more.some(({ name }) => !isEmpty(draft.values[name]) || isWrong(errors, name))
  const draw = (field: LayoutField) => {
    const excluded = excludedBy(layout, draft, field.name)
    const controlProps = {
      field,
      value: draft.values[field.name],
      ...(excluded.length > 0
        ? { off: `Not together with ${excluded.map((title) => `“${title}”`).join(' and ')}: clear that first.` }
        : {}),
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
        {first.map(draw)}
        {together.length > 0 && <OneOf layout={layout} draft={draft} fields={together} draw={draw} />}
        {isSearch ? (
          <AddedFields
            fields={[...others, ...more]}
            draw={draw}
            isUsed={(name) => !isEmpty(draft.values[name]) || isWrong(errors, name)}
            remove={(name) => onChange((currentDraft) => setValue(layout, currentDraft, name, undefined))}
          />
        ) : (
          <>
            {others.map(draw)}
            {more.length > 0 && (
              <details class="more-fields" open={wasOpen.current || undefined}>
                <summary>More fields ({more.length})</summary>
                {more.map(draw)}
              </details>
            )}
          </>
        )}
        {children}
      </form>
    </FormContext.Provider>
  )
}
