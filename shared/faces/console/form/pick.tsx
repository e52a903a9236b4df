/** Choices loaded from the account: a single choice, or several. */
import { useEffect, useState } from 'preact/hooks'
import { Button, TextInput } from '../ui/index.ts'
import { Combobox } from './combobox.tsx'
import type { ControlProps } from './control.ts'
import { useForm } from './context.ts'
import type { Option } from './context.ts'
import { missingParents } from './draft.ts'
import { useOptions } from './use-options.ts'

/** Titles of chosen values, as far as a loaded list contained them. */
const useLabels = (options: Option[], values: string[], canLoad: boolean, load: () => void) => {
  const [labels, setLabels] = useState<Record<string, string>>({})
  useEffect(() => {
    if (options.length > 0)
      setLabels((knownLabels) => ({
        ...knownLabels,
        ...Object.fromEntries(options.map(({ value, label }) => [value, label])),
      }))
  }, [options])
  // A form opened with values knows only their ids, so the titles must be loaded.
  useEffect(() => {
    if (canLoad && values.length > 0) load()
  }, [])
  return (value: string) => labels[value] ?? value
}

const usePick = ({ field }: ControlProps, chosen: string[]) => {
  const { layout, values, optionsFor } = useForm()
  const missing = missingParents(layout, field, values)
  const parents = JSON.stringify((field.dependsOn ?? []).map((name) => values[name]))
  const load = optionsFor && missing.length === 0 ? optionsFor : undefined
  const options = useOptions(
    async (query, cursor, signal) => (load ? load(field.name, values, query, cursor, signal) : { options: [] }),
    parents,
  )
  const labelOf = useLabels(options.options, chosen, load !== undefined, options.refresh)
  return { missing, canLoad: load !== undefined, options, labelOf }
}

/** `id`: the id of the missing input, so that an error can move the focus here. */
const First = ({ titles, id }: { titles: string[]; id?: string }) => (
  <p class="muted pick-first" id={id} tabIndex={id === undefined ? undefined : -1}>
    Choose {titles.map((title) => `“${title}”`).join(' and ')} first{id === undefined && ', to choose from the account'}
    .
  </p>
)

const typedName = ({ accepts }: ControlProps['field']) => (accepts === 'id-or-url' ? 'id or link' : 'id')

const ToggleTyped = ({
  props: { field, attributes },
  isTyped,
  toggle,
}: {
  props: ControlProps
  isTyped: boolean
  toggle(): void
}) => (
  <Button
    kind="quiet"
    disabled={attributes.disabled}
    onClick={toggle}
    aria-label={isTyped ? `Choose from the account: ${field.title}` : `Enter an ${typedName(field)}: ${field.title}`}
  >
    {isTyped ? 'Choose from the account' : `Enter an ${typedName(field)}`}
  </Button>
)

export const PickControl = (props: ControlProps) => {
  const { field, value, set, attributes } = props
  const text = typeof value === 'string' ? value : ''
  const { missing, canLoad, options, labelOf } = usePick(props, text === '' ? [] : [text])
  const [isTyped, setTyped] = useState(false)
  const isText = isTyped || (!canLoad && text !== '') || (!canLoad && missing.length === 0)
  return (
    <>
      {isText ? (
        <TextInput
          {...attributes}
          spellcheck={false}
          required={field.required}
          aria-label={`${field.title}, ${typedName(field)}`}
          placeholder={field.placeholder}
          value={text}
          change={(typed) => {
            // An emptied input stays a text input.
            setTyped(true)
            set(typed.trim())
          }}
        />
      ) : canLoad ? (
        <Combobox
          title={field.title}
          shown={text === '' ? '' : labelOf(text)}
          chosen={[text]}
          options={options}
          onPick={(option) => set(option.value)}
          required={field.required}
          placeholder="Search or choose…"
          typedAs={typedName(field)}
          attributes={attributes}
        />
      ) : (
        <First titles={missing} id={attributes.id} />
      )}
      <span class="row">
        {isText && text !== '' && missing.length > 0 ? (
          <First titles={missing} />
        ) : (
          (canLoad || missing.length > 0) && (
            <ToggleTyped props={props} isTyped={isText} toggle={() => setTyped(!isText)} />
          )
        )}
        {text !== '' && (
          <Button
            kind="quiet"
            disabled={attributes.disabled}
            aria-label={`Clear ${field.title}`}
            onClick={() => set(undefined)}
          >
            Clear
          </Button>
        )}
      </span>
    </>
  )
}

const AddTyped = ({ props: { field, attributes }, add }: { props: ControlProps; add(value: string): void }) => {
  const [text, setText] = useState('')
  const submit = () => {
    if (text.trim() !== '') add(text.trim())
    setText('')
  }
  return (
    <span class="list-item">
      <TextInput
        {...attributes}
        spellcheck={false}
        aria-label={`${field.title}, ${typedName(field)} to add`}
        value={text}
        change={setText}
        onBlur={submit}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          submit()
        }}
      />
      <Button disabled={attributes.disabled} onClick={submit}>
        Add
      </Button>
    </span>
  )
}

export const PickManyControl = (props: ControlProps) => {
  const { field, value, set, attributes } = props
  const chosen = Array.isArray(value) ? (value as string[]) : []
  const { missing, canLoad, options, labelOf } = usePick(props, chosen)
  const [isTyped, setTyped] = useState(false)
  const isText = isTyped || (!canLoad && missing.length === 0)
  const toggle = (choice: string) =>
    set(chosen.includes(choice) ? chosen.filter((other) => other !== choice) : [...chosen, choice])
  const add = (choice: string) => !chosen.includes(choice) && set([...chosen, choice])
  return (
    <>
      {chosen.length > 0 && (
        <ul class="chips" aria-label={`Chosen: ${field.title}`}>
          {chosen.map((choice) => (
            <li key={choice}>
              {labelOf(choice)}
              <Button
                kind="quiet"
                disabled={attributes.disabled}
                aria-label={`Remove ${labelOf(choice)}`}
                onClick={() => toggle(choice)}
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isText ? (
        <AddTyped props={props} add={add} />
      ) : canLoad ? (
        <Combobox
          title={field.title}
          shown=""
          chosen={chosen}
          options={options}
          onPick={(option) => toggle(option.value)}
          required={field.required && chosen.length === 0}
          placeholder={chosen.length === 0 ? 'Search or choose…' : 'Add another…'}
          typedAs={typedName(field)}
          attributes={attributes}
        />
      ) : (
        <First titles={missing} id={attributes.id} />
      )}
      {(canLoad || missing.length > 0) && (
        <ToggleTyped props={props} isTyped={isText} toggle={() => setTyped(!isText)} />
      )}
    </>
  )
}
