import { Page } from '../../ui/page.tsx'

const Subscription = () => <Page title="Subscription">{null}</Page>

export default Subscription
