import { failures, z } from '#kit'
import { profileParts } from '../shared/runtime/catalogue/profile-schema.ts'

/**
 * Rows of docs/configuration.md: every field of a wire profile, from its schema. The meanings are here and not in the schema, because the schema is
 * part of what a server loads. A field without a meaning, and a meaning without a field, throw.
 */
type Schema = {
  type?: string | string[]
  enum?: string[]
  const?: string | boolean
  anyOf?: Schema[]
  properties?: { [name: string]: Schema }
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema | boolean
  prefixItems?: Schema[]
}

/** What the author or operator chooses, in the place of a name. */
const chosen: { [path: string]: string } = {
  auth: '<type>',
  endpoints: '<endpoint>',
  'endpoints.<endpoint>.fields': '<field>',
  'endpoints.<endpoint>.bulk.fields': '<field>',
  records: '<kind>',
  'records.<kind>': '<field>',
}

/** Lists and objects whose parts are described once. */
const sameAs: { [path: string]: string } = {
  'endpoints.<endpoint>.noMatch': 'errors',
  'endpoints.<endpoint>.noMatchOnceMatched': 'errors',
  'endpoints.<endpoint>.errors': 'errors',
  'endpoints.<endpoint>.pending.when': 'errors',
  'endpoints.<endpoint>.bulk.fields': 'endpoints.<endpoint>.fields',
  'endpoints.<endpoint>.bulk.price': 'endpoints.<endpoint>.price',
  'endpoints.<endpoint>.bulk.credits': 'endpoints.<endpoint>.credits',
  validKey: 'errors',
  'endpoints.<endpoint>.bulk.itemNoMatch': 'errors',
  'endpoints.<endpoint>.bulk.itemErrors': 'errors',
}

export const meanings: { [path: string]: string } = {
  profile:
    'Name of a [ready profile](#choosing-a-profile) that the other settings are laid over; with `baseUrl`, also a name of your own. The manifest shows it.',
  baseUrl: 'Address of the provider. Callers cannot set it.',
  baseUrlPattern:
    'Addresses that connections may bring along in place of `baseUrl`: `https://*.desk.example/api`. `*` stands for one label of the host name; two labels after it are fixed. Without it such connections cannot be used.',
  authUrl: 'Site that the browser is sent to for authorization, where the provider has such pages.',
  authorizeReturn: 'Parameters that make the token page send the browser back to `{returnUrl}` with the token in the fragment.',
  auth: 'Where the credential goes, by connection type (`oauth2` for connections that `oauth.version` has switched to OAuth 2.0).',
  'auth.<type>': 'Placement for one connection type.',
  'auth.<type>.place':
    'The part of the request that holds the credential; `basic`: user name and password (RFC 7617); `oauth1`: every request is signed with HMAC-SHA1 (RFC 5849).',
  'auth.<type>.fields': 'Names of headers or parameters; the values are templates of secrets: `Bearer {apiKey}`.',
  'auth.<type>.user': 'With `basic`: template of the user name, which cannot hold ":".',
  'auth.<type>.password': 'With `basic`: template of the password; may be empty.',
  'auth.<type>.consumer': 'With `oauth1`: templates of the consumer key and secret; absent: those of the app.',
  'auth.<type>.consumer.key': 'Template of the key.',
  'auth.<type>.consumer.secret': 'Template of the secret.',
  'auth.<type>.token': 'With `oauth1`: templates of the token and its secret; absent: the consumer alone signs.',
  'auth.<type>.token.key': 'Template of the token.',
  'auth.<type>.token.secret': 'Template of the secret.',
  headers: 'Fixed headers of every request, such as an API version. They are shown in dry runs: secrets belong in `auth`.',
  accept: 'The `Accept` header; default `application/json`.',
  body: 'How bodies are sent; default `json`. A request may say otherwise (`bodyAs`).',
  reserved: 'Names that callers may never set in query or body, beside those in `auth`.',
  writeMark: 'How our own writes are marked, so that the events they cause can be recognised.',
  'writeMark.header': 'Header that carries the mark.',
  pace: 'How fast the provider may be called.',
  'pace.limits': 'Rate limits of the provider.',
  'pace.limits[].per': 'What the limit counts: a token (`connection`), all tokens of one app (`app`) or one family of paths (`route`).',
  'pace.limits[].max': 'Calls in a window.',
  'pace.limits[].windowMs': 'Length of the window, in ms.',
  'pace.limits[].route': 'With `per: "route"`: the path pattern it applies to.',
  'pace.concurrency': 'Calls at the same time, for each connection.',
  'pace.remaining': 'Headers in which the provider reports how many calls are left.',
  'pace.remaining[].header': 'Name of the header.',
  'pace.remaining[].part': 'The header holds an object in text with a number for each window (`{"minute": 12, "day": 900}`); this one counts.',
  'pace.remaining[].per': 'Which limit it reports on.',
  'pace.remaining[].windowMs': 'Length of the window it reports on, where several limits of a kind are reported; default: the shortest.',
  'pace.remaining[].reset': 'The header that says when this window ends. All of it is free again then.',
  'pace.remaining[].reset.header': 'Name of the header.',
  'pace.remaining[].reset.as': 'Its form: Unix time in seconds or ms, seconds or ms from now, or a date (RFC 3339 or HTTP date).',
  'pace.resets': 'Headers that say when a limit opens again, where no header reports what is left.',
  'pace.resets[].header': 'Name of the header.',
  'pace.resets[].as': 'Its form, as above.',
  'pace.waitTexts': 'Texts in which refusals say how long to wait, with `{seconds}` or `{minutes}`: `Retry in {seconds}s`. Read where no header says it.',
  'pace.fallbackMs': 'How long a refusal that names no time pauses, in ms; default: the window of the limit, or 10 s.',
  timeouts: 'How long to wait for one request, in ms.',
  'timeouts.connectMs': 'For the connection.',
  'timeouts.headersMs': 'From sending to the headers of the reply.',
  'timeouts.bodyMs': 'Between two parts of the body.',
  'timeouts.totalMs': 'For one attempt as a whole.',
  'timeouts.deadlineMs': 'For all attempts and waits of a call together.',
  maxReplyBytes: 'Largest reply that is read.',
  errors: 'Which reply means which failure. The first rule whose conditions all hold decides; after all rules the usual meaning of the status counts.',
  'errors[].status': 'Condition: the status, or its range [from, to].',
  'errors[].header': 'A header of the reply; without `equals` and `present`: it is there.',
  'errors[].header.name': 'Its name, in any case.',
  'errors[].header.equals': 'Its exact value.',
  'errors[].header.present': '`false`: it is absent.',
  'errors[].path': 'Condition: dotted path into the JSON body that `is`, `equals`, `begins` and `contains` look at; empty for the whole body.',
  'errors[].is': 'Condition on the value there.',
  'errors[].equals': 'Condition: the value there is exactly this.',
  'errors[].begins': 'Condition: the value there (or the whole text) begins with this, in any case.',
  'errors[].contains': 'Condition: the value there (or the whole text) contains this, in any case.',
  'errors[].failure': 'The [failure](steps.md#failures) that it means.',
  'errors[].message': 'Sentence in place of the usual one: the cause, and what the account owner can do.',
  'errors[].pauses': 'What a `rate_limited` reply pauses; default `connection`.',
  errorDetails: 'Where error replies hold their details; default: the first text under a usual name.',
  'errorDetails.message': 'Dotted paths of the message; the first text wins.',
  'errorDetails.list': 'The list of wrong fields. They are part of the failure: in its message, and as `errors`.',
  'errorDetails.list.at': 'Dotted path of the list; `""` is the whole body.',
  'errorDetails.list.field': 'Dotted path of the name of the field, in an item.',
  'errorDetails.list.code': 'Dotted path of a code, in an item; shown where there is no message.',
  'errorDetails.list.message': 'Dotted path of the message, in an item.',
  rejectsBeforeExecuting: 'Statuses, beside 429, at which the provider guarantees that nothing was executed.',
  probes: 'Where to look for a record after a create whose outcome is unknown.',
  'probes[].after': 'Path of the create.',
  'probes[].find': 'The request that lists candidates.',
  'probes[].find.path': 'Its path; `{names}` are parts of the path of `after` or fields of its body.',
  'probes[].find.query': 'Its query.',
  'probes[].list': 'Dotted path to the list in the reply; empty for the whole body.',
  'probes[].same': 'Dotted path in a candidate → name of the value it has to equal.',
  'probes[].idHoldsTime': 'Ids begin with the creation time in hexadecimal Unix seconds, so that older records can be ruled out.',
  'probes[].createdAt': 'Dotted path in an item to the time it was created, so that older records can be ruled out.',
  'probes[].pageSize': 'How many items the list holds at most; a list as long may have more behind it. Default: the parameter `limit` of `find.query`.',
  optOuts:
    'How requests of the provider name people who opted out, which are signed as `signature` says with the secret of the app. Dotted paths into their JSON.',
  'optOuts.challenge': 'Query parameter of a GET request that is answered with JSON of the same name and value, by which the provider verifies the address.',
  'optOuts.fields': 'Paths of identifiers.',
  'optOuts.fields.email': 'Of an e-mail address.',
  'optOuts.fields.linkedin': 'Of the address of a LinkedIn profile.',
  'optOuts.fields.phone': 'Of a phone number.',
  'optOuts.list': 'A list of identifiers.',
  'optOuts.list.at': 'Path of the list.',
  'optOuts.list.kind': 'Path in an item of what kind it is.',
  'optOuts.list.value': 'Path in an item of the identifier.',
  'optOuts.list.kinds': 'Kind by what the items call it.',
  'optOuts.acknowledge': 'JSON that acknowledges a request; without it, status 200 alone.',
  'optOuts.acknowledge.constants': 'Fixed values of it.',
  'optOuts.acknowledge.time': 'Name in it of the time of receipt.',
  'optOuts.acknowledge.echo': 'Names in it of values of the request, each with paths of which the first one that is there counts.',
  signature: 'How the provider signs its webhook deliveries.',
  'signature.header': 'Header that holds the signature.',
  'signature.algorithm': 'Algorithm.',
  'signature.encoding': 'Encoding of the signature.',
  'signature.prefix': 'Text before each signature, such as `sha256=`.',
  'signature.separator': 'Separator of several signatures in one header; without it the header holds exactly one.',
  'signature.signs':
    'What is signed: a template of `{body}` (raw bytes), `{url}` (the registered address), `{timestamp}` and `{id}`. `body+url` means `{body}{url}`.',
  'signature.timestamp': 'The signed time of a delivery.',
  'signature.timestamp.header': 'Header that holds it, in seconds or milliseconds since 1970.',
  'signature.timestamp.toleranceMs': 'Deliveries that differ from the clock of this server by more are refused.',
  'signature.id': 'The signed id of a delivery.',
  'signature.id.header': 'Header that holds it.',
  'signature.secret':
    'What signs: the secret of the app (default), of its OAuth 2.0 client, or one that is made for each hook and given to the provider with it.',
  'signature.secrets': 'By connection type: whether the secret of the app or of its OAuth 2.0 client signs; types not named use `secret`.',
  endpoints: 'The requests of steps that name an endpoint.',
  'endpoints.<endpoint>.method': 'Method.',
  'endpoints.<endpoint>.path': 'Path.',
  'endpoints.<endpoint>.baseUrl': "Address of this endpoint, where it is not the profile's. Callers cannot set it.",
  'endpoints.<endpoint>.place': 'Whether the fields go into the JSON body or the query.',
  'endpoints.<endpoint>.kind': 'Kind of record in the reply: a key of `records`.',
  'endpoints.<endpoint>.aliases': 'Key of `records` by which its records are read, where it is not `kind`.',
  'endpoints.<endpoint>.fields': 'Our field → how it is sent; null: not offered. A list holds alternatives; the first that fits is sent.',
  'endpoints.<endpoint>.fields.<field>': "The provider's name for the field, dotted to nest it (a number is a place in a list); or an object.",
  'endpoints.<endpoint>.fields.<field>.name': "The provider's name for the field.",
  'endpoints.<endpoint>.fields.<field>.map': "Our words → the provider's values. A word that is missing here is `invalid_input`.",
  'endpoints.<endpoint>.fields.<field>.labels': 'Titles that forms show for the words of `map` or `flags`; callers may use either. Default: the words.',
  'endpoints.<endpoint>.fields.<field>.mailHosts': 'Use this alternative for e-mail addresses at these hosts (private mail).',
  'endpoints.<endpoint>.fields.<field>.as': 'Form of the value; `string` joins a list with commas.',
  'endpoints.<endpoint>.fields.<field>.template':
    'What is sent in place of the value; `{value}` stands for it, and for a range ("11-50") `{min}` and `{max}` stand for its ends. `{lastPart}` is the last part of an address, `{countryName}` the English name of a country given by its code; a name of ours, such as `{firstName}`, is the value given for that field. For a list, the template is filled in for each item.',
  'endpoints.<endpoint>.fields.<field>.case': 'The provider wants its words in this case; those of `map` are sent as they are.',
  'endpoints.<endpoint>.fields.<field>.add': 'The value is added to a list at `name`, to which other fields may add too.',
  'endpoints.<endpoint>.fields.<field>.flags': 'For a list of words: word → name of the provider that is set to true.',
  'endpoints.<endpoint>.fields.<field>.default': 'Value where the field is not given, in our words.',
  'endpoints.<endpoint>.fields.<field>.resolve': "Another endpoint looks up the provider's value for ours, such as an id; its price is added.",
  'endpoints.<endpoint>.fields.<field>.resolve.endpoint': 'The endpoint that is asked.',
  'endpoints.<endpoint>.fields.<field>.resolve.field': 'Its field that takes the value.',
  'endpoints.<endpoint>.fields.<field>.resolve.take': "Dotted path of the provider's value in the record it answers.",
  'endpoints.<endpoint>.fields.<field>.choices': 'The provider lists the allowed values at a free endpoint; forms offer their labels.',
  'endpoints.<endpoint>.fields.<field>.choices.endpoint': 'The endpoint that answers the list.',
  'endpoints.<endpoint>.fields.<field>.choices.list': 'Dotted path to the list.',
  'endpoints.<endpoint>.fields.<field>.choices.value': 'Dotted path in an item to the value that is sent; empty for the item.',
  'endpoints.<endpoint>.fields.<field>.choices.label': 'Dotted path in an item to its label; empty for the item.',
  'endpoints.<endpoint>.fields.<field>.choices.cacheMs': 'How long the list is cached, in ms; default a day.',
  'endpoints.<endpoint>.envelope': 'The part of the body that holds the fields; absent: its top level.',
  'endpoints.<endpoint>.envelope.at': 'Dotted name of that part.',
  'endpoints.<endpoint>.envelope.as': '`object`: that part is an object with the fields; `list`: a list with this object as its only item.',
  'endpoints.<endpoint>.envelope.constants': 'Fixed values sent beside the fields in that object.',
  'endpoints.<endpoint>.envelope.beside': 'Our fields that stay at the top level, beside that object or list.',
  'endpoints.<endpoint>.constants': 'Fixed values sent with every request.',
  'endpoints.<endpoint>.requires': 'At least one of these sets of our fields has to be given; otherwise the step fails before anything is sent.',
  'endpoints.<endpoint>.identifiers': 'Send one set of identifiers per request, strongest first (`one`, the default), or all that are given together.',
  'endpoints.<endpoint>.record':
    'Dotted paths to the record, or to the list of records; the first one present decides. Null there, or nothing in it, is a no match.',
  'endpoints.<endpoint>.recordIs': '`object`: a list in the place of a record is not understood. Without it, a list of one is a record.',
  'endpoints.<endpoint>.joins': 'Parts of a record that are elsewhere in the answer, such as companies listed beside people.',
  'endpoints.<endpoint>.joins[].into': 'Name under which the record then has the part.',
  'endpoints.<endpoint>.joins[].from': 'Dotted path to the object that holds the parts.',
  'endpoints.<endpoint>.joins[].by': 'Dotted path in the record to the key of its part.',
  'endpoints.<endpoint>.noMatch':
    'Replies that mean "no match". They are checked before the status. A rule for a status other than 2xx has to name what the body says.',
  'endpoints.<endpoint>.noMatchOnceMatched':
    'Ambiguous replies, which a wrong address could give too. They mean "no match" only once this endpoint has given this connection a match under this profile; before, they are failures.',
  'endpoints.<endpoint>.errors': 'Rules for replies to its single requests, before those of the profile.',
  'endpoints.<endpoint>.price': 'What the endpoint costs, as the provider states it; the parts add up. Without it, the usual price of the step is estimated.',
  'endpoints.<endpoint>.price[].per':
    'What is charged: each request (`call`), match, record asked for (`record`), or group of `of` results, rounded up (`results`).',
  'endpoints.<endpoint>.price[].credits': 'Credits.',
  'endpoints.<endpoint>.price[].of': 'How many results are charged together; default 1.',
  'endpoints.<endpoint>.price[].wanted': 'Charged only if the record has this field of ours (such as `phones`) and it was asked for.',
  'endpoints.<endpoint>.credits': 'Where the reply reports the credits charged: one of these. Without it, the charge is estimated by `price`.',
  'endpoints.<endpoint>.credits.header': 'In this header.',
  'endpoints.<endpoint>.credits.path': 'At this dotted path of the body.',
  'endpoints.<endpoint>.credits.flag': 'Charged if the value at this dotted path is true, free if it is false.',
  'endpoints.<endpoint>.credits.amount': 'With `flag`: the credits charged; default: the price.',
  'endpoints.<endpoint>.page': 'How results are paged.',
  'endpoints.<endpoint>.page.style': 'What the position is.',
  'endpoints.<endpoint>.page.place': 'Where position and size go.',
  'endpoints.<endpoint>.page.position': "The provider's name for the position.",
  'endpoints.<endpoint>.page.size': "The provider's name for the page size.",
  'endpoints.<endpoint>.page.firstPage': 'Number of the first page.',
  'endpoints.<endpoint>.page.asString': 'Send position and size as strings.',
  'endpoints.<endpoint>.page.min': 'Smallest page size the provider takes.',
  'endpoints.<endpoint>.page.max': 'Largest page size.',
  'endpoints.<endpoint>.page.default': 'Page size when the caller gives none.',
  'endpoints.<endpoint>.page.last': 'Last page or offset that the provider answers; no request goes beyond it.',
  'endpoints.<endpoint>.page.total': 'Dotted path to the number of results.',
  'endpoints.<endpoint>.page.nextCursor': 'Dotted path to the next cursor.',
  'endpoints.<endpoint>.redirects': 'Follow one redirect (307, 308) within the same origin.',
  'endpoints.<endpoint>.searchId': 'Dotted path in the answer of a search to its id, which later requests need; the step returns it as `searchId`.',
  'endpoints.<endpoint>.pending': 'How an answer says that the result comes later, and how to get it.',
  'endpoints.<endpoint>.pending.when': 'What such an answer looks like.',
  'endpoints.<endpoint>.pending.poll': 'Request for the result; without it the same request is sent again.',
  'endpoints.<endpoint>.pending.poll.path': 'Its path (GET), with {names}.',
  'endpoints.<endpoint>.pending.poll.names': 'Name → dotted path in the answer that says to wait.',
  'endpoints.<endpoint>.pending.everyMs': 'Wait between two requests, in ms.',
  'endpoints.<endpoint>.pending.limitMs': 'How long to wait in all, in ms.',
  'endpoints.<endpoint>.repeats': '`free`: a record that the account was charged for before costs nothing again. Counts where no answer says what was charged.',
  'endpoints.<endpoint>.probe': 'A request that `wire check` sends to try the endpoint; it may match or not.',
  'endpoints.<endpoint>.probe.values': 'Its values, in our field names.',
  'endpoints.<endpoint>.probe.credits': 'Credits it may cost; 0: free. `wire check` spends none without consent.',
  'endpoints.<endpoint>.bulk': 'How to send many records in one request; without it, each record is a request of its own.',
  'endpoints.<endpoint>.bulk.method': 'Method; default POST.',
  'endpoints.<endpoint>.bulk.path': 'Path of the bulk request.',
  'endpoints.<endpoint>.bulk.max': 'Largest number of records in one request.',
  'endpoints.<endpoint>.bulk.envelope': 'Name of the list in the body; empty when the body is the list.',
  'endpoints.<endpoint>.bulk.constants': 'Fixed values sent beside the list.',
  'endpoints.<endpoint>.bulk.price': 'As `price`, for a bulk request.',
  'endpoints.<endpoint>.bulk.credits': 'As `credits`, for a bulk request.',
  'endpoints.<endpoint>.bulk.fields': 'As `fields`, for the items; default: `fields`.',
  'endpoints.<endpoint>.bulk.itemConstants': 'Fixed values of each item.',
  'endpoints.<endpoint>.bulk.items': 'Whether an item is an object, or the bare value of its only field (a list of ids).',
  'endpoints.<endpoint>.bulk.beside': 'Our fields that are sent once per request, beside the list.',
  'endpoints.<endpoint>.bulk.itemId': "The provider's name for our item id, where replies repeat it.",
  'endpoints.<endpoint>.bulk.answerId': 'Dotted path of that id in an answer, where it is not `itemId`.',
  'endpoints.<endpoint>.bulk.answer': 'Whether the reply is a list in the order of the request, or an object by item id.',
  'endpoints.<endpoint>.bulk.answers': 'Dotted path to the answers, or several tried in turn.',
  'endpoints.<endpoint>.bulk.charge': 'Whether each record or each match is charged.',
  'endpoints.<endpoint>.bulk.itemNoMatch': 'What "no match" looks like for one record.',
  'endpoints.<endpoint>.bulk.itemErrors': 'What a failure of one record looks like.',
  'endpoints.<endpoint>.bulk.itemRecord': 'Dotted paths to the record within one answer.',
  test: 'The free endpoint that tests a key. Without it, the first match shows that a key works.',
  'test.endpoint': 'Name of the endpoint.',
  'test.values': 'Values for it, in our field names.',
  validKey: 'Refusals that only a valid key gets, such as one for lack of credits.',
  operations: "What API Call knows of the provider's endpoints; default: the list of the integration.",
  'operations[].method': 'Method.',
  'operations[].path': 'Path template.',
  'operations[].title': 'Title, for people and for `find-endpoints`.',
  'operations[].effect': 'What it does; default: by method.',
  'operations[].price':
    '`free`, or its parts, as those of an endpoint; other words are only shown. Without parts it is the price of the endpoint with this path, if there is one.',
  'operations[].price[].per': 'As in `endpoints`.',
  'operations[].price[].credits': 'Credits.',
  'operations[].price[].of': 'As in `endpoints`.',
  'operations[].price[].wanted': 'As in `endpoints`.',
  'operations[].price[].given': 'Charged only if the request has this parameter, other than false; a dotted name is one of the body.',
  'operations[].credits': 'Where the reply reports the credits charged, as in `endpoints`.',
  'operations[].credits.header': 'In this header.',
  'operations[].credits.path': 'At this dotted path of the body.',
  'operations[].credits.flag': 'Charged if the value at this dotted path is true, free if it is false.',
  'operations[].credits.amount': 'With `flag`: the credits charged; default: the price.',
  'operations[].records': 'How many records a request asks for; default 1.',
  'operations[].records.in': 'As many as these lists of its query or body hold together.',
  'operations[].records.most': 'As many where it holds none of them.',
  'operations[].unpriced': 'Parameters, named as in `given`, with which the price is not known.',
  'operations[].body': 'The body is a list whose items hold the parameters.',
  'operations[].parameters': 'Its parameters.',
  'operations[].parameters[].name': 'Name.',
  'operations[].parameters[].in': 'Where it goes; `either`: query or body.',
  'operations[].parameters[].type': 'Type of the value, or of the items of a list.',
  'operations[].parameters[].list': 'It is a list.',
  'operations[].parameters[].required': 'It has to be given.',
  'operations[].parameters[].choices': 'Allowed values.',
  records: 'Names of record fields, by kind of record.',
  'records.<kind>.<field>': "Our field → dotted paths in the provider's record, of which the first present counts; or an object with lists.",
  'records.<kind>.<field>.lists': "Lists in the provider's record that together make this field.",
  'records.<kind>.<field>.lists[].at': 'Dotted path to the list.',
  'records.<kind>.<field>.lists[].item': "Our field of an item → dotted paths in the provider's item.",
  'records.<kind>.<field>.lists[].set': 'Fixed values; those of the item override them.',
  oauth: 'Addresses of OAuth.',
  'oauth.version': 'Switches between the two below, for a provider that offers both; absent: the scheme of each connection type decides.',
  'oauth.v1': 'OAuth 1.0a, HMAC-SHA1, three-legged.',
  'oauth.v1.requestUrl': 'Address for request tokens.',
  'oauth.v1.authorizeUrl': 'Page where the person decides.',
  'oauth.v1.tokenUrl': 'Address for access tokens.',
  'oauth.v1.authorizeParams': 'Further parameters of the authorize page; `{appName}` is filled in.',
  'oauth.v2': 'OAuth 2.0, authorization code with PKCE.',
  'oauth.v2.authorizeUrl': 'Page where the person decides.',
  'oauth.v2.tokenUrl': 'Address for tokens.',
  'oauth.v2.issuer': 'What the provider calls itself in `iss`; default: the origin of `authorizeUrl`.',
  'oauth.v2.scopes': 'Scopes to ask for.',
  'oauth.v1.scopeNames': 'What this version calls the scopes that steps and triggers name in `oauthScopes`; absent: the same.',
  'oauth.v2.scopeNames': 'What this version calls the scopes that steps and triggers name in `oauthScopes`; absent: the same.',
  'oauth.v2.authorizeParams': 'Further parameters of the authorize page.',
  'oauth.v2.tokenBody': 'Body format of token requests; default `form`.',
  'oauth.v2.clientAuth': 'Where client id and secret go in token requests: `body` (default), or `basic` for the Authorization header.',
  'oauth.v2.refreshTokens': 'Whether a refresh token may be sent again after a lost answer: `rotating` (default) never, `reusable` yes.',
  'oauth.client': 'OAuth 2.0 client credentials.',
  'oauth.client.tokenUrl': 'Address for tokens.',
  'oauth.client.scopes': 'Scopes to ask for.',
  'oauth.client.params': 'Further parameters of the token request, such as `audience`.',
  'oauth.client.tokenBody': 'Body format of token requests; default `form`.',
  'oauth.client.clientAuth': 'Where client id and secret go in token requests: `body` (default), or `basic` for the Authorization header.',
  assumed: 'What is a guess, and why. Keys are dotted paths of this profile.',
}

const isObject = (schema: Schema) => schema.properties !== undefined || typeof schema.additionalProperties === 'object'
const isSchema = (schema: Schema | boolean | undefined): schema is Schema => typeof schema === 'object'
const alternatives = (schema: Schema): Schema[] => schema.anyOf ?? [schema]

/** `"a" | "b"`, `list of string`, `integer, null`. */
const typeOf = (schema: Schema): string => {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.length === Object.keys(failures).length ? 'failure code' : schema.enum.map((one) => JSON.stringify(one)).join(', ')
  if (schema.prefixItems) return 'list of two'
  if (schema.type === 'array') return isSchema(schema.items) ? `list of ${typeOf(schema.items)}` : 'list'
  if (schema.properties) return 'object'
  if (isSchema(schema.additionalProperties)) return `map of ${typeOf(schema.additionalProperties)}`
  return [schema.type ?? 'any'].flat().join(', ')
}

type Field = { path: string; type: string; isRequired: boolean }

const fieldsBelow = (schema: Schema, path: string): Field[] =>
  alternatives(schema).flatMap((one): Field[] => {
    if (one.properties)
      return Object.entries(one.properties).flatMap(([name, child]) => fieldsAt(child, path === '' ? name : `${path}.${name}`, !!one.required?.includes(name)))
    if (isSchema(one.items)) return alternatives(one.items).some(isObject) ? fieldsBelow(one.items, `${path}[]`.replace('<field>[]', '<field>')) : []
    const child = one.additionalProperties
    if (!isSchema(child)) return []
    const below = fieldsBelow(child, `${path}.${chosen[path] ?? '<name>'}`)
    return below.length === 0 ? [] : fieldsAt(child, `${path}.${chosen[path] ?? '<name>'}`, false)
  })

const fieldsAt = (schema: Schema, path: string, isRequired: boolean): Field[] => [{ path, type: typeOf(schema), isRequired }, ...fieldsBelow(schema, path)]

/** Every field of the profile that `parts` describe, each once. */
export const profileFields = (parts: { [name: string]: () => z.ZodType } = profileParts): Field[] => {
  const all = Object.entries(parts).flatMap(([name, part]) => {
    const schema = part()
    return fieldsAt(z.toJSONSchema(schema) as Schema, name, !schema.safeParse(undefined).success)
  })
  const known = new Map(all.map((field) => [field.path, field]))
  return [...known.values()].filter(({ path, type }) => {
    const [from, to] = Object.entries(sameAs).find(([start]) => path.startsWith(`${start}[]`) || path.startsWith(`${start}.`)) ?? []
    if (from === undefined) return true
    const twin = known.get(`${to}${path.slice(from.length)}`)
    if (twin?.type !== type) throw new Error(`${path} is not described by ${to}: take it out of sameAs in scripts/profile-fields.ts.`)
    return false
  })
}

/** Rows of the table: field, type, meaning. */
export const profileRows = (fields: Field[] = profileFields()): string[][] => {
  // A name of the author's choosing has a row of its own only where it has a meaning of its own.
  const shown = fields.filter(({ path }) => !path.endsWith('>') || path in meanings)
  const missing = shown.filter(({ path }) => !(path in meanings)).map(({ path }) => path)
  if (missing.length > 0) throw new Error(`scripts/profile-fields.ts lacks the meaning of ${missing.join(', ')}.`)
  const extra = Object.keys(meanings).filter((path) => !shown.some((field) => field.path === path))
  if (extra.length > 0) throw new Error(`scripts/profile-fields.ts explains ${extra.join(', ')}, which no wire profile has.`)
  return shown.map(({ path, type, isRequired }) => {
    const twin = sameAs[path]
    return [`\`${path}\`${isRequired ? ' *' : ''}`, type, `${meanings[path]}${twin ? ` Entries as in \`${twin}\`.` : ''}`]
  })
}
