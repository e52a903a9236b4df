import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../ui/index.ts'
import type { InputAttributes } from './control.ts'
import type { Option } from './context.ts'
import type { Options } from './use-options.ts'

type ComboboxProps = {
  title: string
  /** The text of the chosen option, shown while the user is not typing. */
  shown: string
  chosen: string[]
  options: Options
  onPick(option: Option): void
  required: boolean
  placeholder: string
  /** What typed text stands for when it matches no choice, such as "id or link". */
  typedAs: string
  /** Below the choices: how else a value is given. */
  otherWay: ComponentChildren
  attributes: InputAttributes
}

/** The state of the list: whether it is open, and which choice the arrow keys have reached. */
const useList = ({ options, onPick, typedAs }: ComboboxProps) => {
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState<string>()
  const [active, setActive] = useState(-1)
  const typed = query?.trim() ?? ''
  const offered =
    typed === '' || options.loading
      ? options.options
      : [...options.options, { value: typed, label: `Use “${typed}” as the ${typedAs}` }]
  const open = (text?: string) => {
    if (!isOpen || text !== undefined) options.search(text ?? '')
    setOpen(true)
    setQuery(text)
    setActive(-1)
  }
  const close = () => {
    setOpen(false)
    setQuery(undefined)
    setActive(-1)
  }
  const pick = (option: Option) => {
    onPick(option)
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const last = offered.length - 1
    if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Enter' && isOpen) {
      const option = offered[active]
      if (option) pick(option)
    } else if (event.key === 'ArrowDown' && !isOpen) open()
    else if (event.key === 'ArrowDown') {
      if (active === last && options.hasMore) options.more()
      setActive(Math.min(active + 1, last))
    } else if (event.key === 'ArrowUp' && isOpen) setActive(Math.max(active - 1, 0))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return { isOpen, query, active, offered, open, close, pick, onKeyDown }
}

/** `act` returns the focus to the input, so that the arrow keys keep working. */
const State = ({
  options: { options, loading, problem, hasMore, more, refresh },
  act,
  otherWay,
}: {
  options: Options
  act(what: () => void): void
  otherWay: ComponentChildren
}) => (
  <div class="pick-state">
    <span role="status">
      {loading
        ? 'Loading…'
        : problem
          ? ''
          : options.length === 0
            ? 'Nothing found.'
            : `${options.length} found${hasMore ? ', more available' : ''}.`}
    </span>
    {problem && (
      <span role="alert" class="field-error">
        {problem.detail}
      </span>
    )}
    {hasMore && !problem && (
      <Button kind="quiet" onClick={() => act(more)}>
        Show more
      </Button>
    )}
    {!loading && (
      <Button kind="quiet" onClick={() => act(refresh)}>
        {problem ? 'Try again' : 'Refresh'}
      </Button>
    )}
    {otherWay}
  </div>
)

/** A text input with a list of choices below it, following the ARIA pattern of an editable combobox. */
export const Combobox = (props: ComboboxProps) => {
  const { title, shown, chosen, options, required, placeholder, otherWay, attributes } = props
  const { isOpen, query, active, offered, open, close, pick, onKeyDown } = useList(props)
  const container = useRef<HTMLDivElement>(null)
  const list = `${attributes.id}-list`
  const optionId = (index: number) => `${list}-${index}`
  useEffect(() => {
    if (active >= 0) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && container.current?.contains(relatedTarget))) close()
  }
  return (
    <div class="pick" ref={container} onFocusOut={onFocusOut} onKeyDown={onKeyDown}>
      <input
        {...attributes}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-label={title}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? list : undefined}
        aria-activedescendant={active >= 0 ? optionId(active) : undefined}
        required={required}
        placeholder={placeholder}
        value={query ?? shown}
        onInput={(event) => open(event.currentTarget.value)}
        onClick={() => open()}
      />
      {isOpen && (
        <div class="pick-list">
          <ul role="listbox" id={list} aria-label={title} aria-busy={options.loading}>
            {offered.map((option, index) => (
              <li
                key={option.value}
                id={optionId(index)}
                role="option"
                aria-selected={chosen.includes(option.value)}
                class={index === active ? 'active' : undefined}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => pick(option)}
              >
                {option.label} {option.hint !== undefined && <span class="muted">{option.hint}</span>}
              </li>
            ))}
          </ul>
          <State
            options={options}
            otherWay={otherWay}
            act={(what) => {
              document.getElementById(attributes.id)?.focus()
              what()
            }}
          />
        </div>
      )}
    </div>
  )
}
