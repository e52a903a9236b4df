/** Choices loaded from the account: a single choice, or several. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, isId, TextInput } from '../ui/index.ts'
import { Combobox } from './combobox.tsx'
import type { ControlProps } from './control.ts'
import { useForm } from './context.ts'
import type { Option } from './context.ts'
import { missingParents, narrowedBy } from './draft.ts'
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
  const { layout, values, optionsFor, names } = useForm()
  const missing = missingParents(layout, field, values)
  const parents = JSON.stringify(narrowedBy(layout, field).map((name) => values[name]))
  const load = optionsFor && missing.length === 0 ? optionsFor : undefined
  const options = useOptions(
    async (query, cursor, signal) => (load ? load(field.name, values, query, cursor, signal) : { options: [] }),
    parents,
  )
  const loadedLabel = useLabels(options.options, chosen, load !== undefined, options.refresh)
  const [earlier] = useState(chosen)
  const labelOf = (value: string) => {
    const label = loadedLabel(value)
    if (label !== value) return label
    // Only an id that somebody has just entered is shown as such.
    const isNameless = load !== undefined && isId(value) && earlier.includes(value)
    return names?.get(value) ?? (isNameless ? `${field.title} chosen before` : value)
  }
  return { missing, canLoad: load !== undefined, options, labelOf }
}

const First = ({ titles, isTyped = false }: { titles: string[]; isTyped?: boolean }) => (
  <span class="muted pick-first">
    Choose {titles.map((title) => `“${title}”`).join(' and ')} first{isTyped && ', to choose from the account'}.
  </span>
)

/** A field whose choices depend on another one: off, with the reason, but an error can move the focus here. */
const Off = ({ props: { field, attributes }, titles }: { props: ControlProps; titles: string[] }) => (
  <>
    <TextInput
      {...attributes}
      readOnly
      aria-disabled
      aria-label={field.title}
      aria-describedby={[`${attributes.id}-first`, attributes['aria-describedby']].filter(Boolean).join(' ')}
      class="off"
      value=""
    />
    <p id={`${attributes.id}-first`}>
      <First titles={titles} />
    </p>
  </>
)

const typedName = ({ accepts }: ControlProps['field']) => (accepts === 'id-or-url' ? 'id or link' : 'id')

/** Whether an id is entered instead of chosen; the field that takes the place of the other one gets the focus. */
const useTyped = ({ id }: ControlProps['attributes']) => {
  const [isTyped, setTyped] = useState(false)
  const takesFocus = useRef(false)
  // Before the next key is pressed, so that the field gets every letter.
  useLayoutEffect(() => {
    if (takesFocus.current) document.getElementById(id)?.focus()
    takesFocus.current = false
  }, [isTyped])
  const toggle = (to: boolean) => {
    takesFocus.current = true
    setTyped(to)
  }
  return { isTyped, setTyped, toggle }
}

type ToggleProps = { props: ControlProps; isTyped: boolean; toggle(to: boolean): void }
const ToggleTyped = ({ props: { field, attributes }, isTyped, toggle }: ToggleProps) => (
  <Button
    kind="quiet"
    disabled={attributes.disabled}
    onClick={() => toggle(!isTyped)}
    aria-label={isTyped ? `Choose from the account: ${field.title}` : `Enter an ${typedName(field)}: ${field.title}`}
  >
    {isTyped ? 'Choose from the account' : `Enter an ${typedName(field)}`}
  </Button>
)

export const PickControl = (props: ControlProps) => {
  const { field, value, set, attributes } = props
  const text = typeof value === 'string' ? value : ''
  const { missing, canLoad, options, labelOf } = usePick(props, text === '' ? [] : [text])
  const { isTyped, setTyped, toggle } = useTyped(attributes)
  const isNamed = !isTyped && !canLoad && text !== '' && labelOf(text) !== text
  const isText = !isNamed && (isTyped || (!canLoad && text !== '') || (!canLoad && missing.length === 0))
  return (
    <>
      {isNamed ? (
        <TextInput {...attributes} readOnly aria-label={field.title} value={labelOf(text)} />
      ) : isText ? (
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
          otherWay={<ToggleTyped props={props} isTyped={false} toggle={toggle} />}
          attributes={attributes}
        />
      ) : (
        <Off props={props} titles={missing} />
      )}
      <span class="row">
        {(isText || isNamed) && text !== '' && missing.length > 0 ? (
          <First titles={missing} isTyped />
        ) : (
          // Where there are choices, the list of them has the way to enter an id.
          (isText ? canLoad || missing.length > 0 : !canLoad && missing.length > 0) && (
            <ToggleTyped props={props} isTyped={isText} toggle={toggle} />
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
  const { isTyped, toggle: toggleTyped } = useTyped(attributes)
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
          otherWay={<ToggleTyped props={props} isTyped={false} toggle={toggleTyped} />}
          attributes={attributes}
        />
      ) : (
        <Off props={props} titles={missing} />
      )}
      {(isText ? canLoad || missing.length > 0 : !canLoad && missing.length > 0) && (
        <ToggleTyped props={props} isTyped={isText} toggle={toggleTyped} />
      )}
    </>
  )
}
