import { Page } from '../../ui/page.tsx'

const Events = () => <Page title="Events">{null}</Page>

export default Events
