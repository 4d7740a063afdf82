package outbox

// Governing: ADR-0004 (outbox)

// publishPending sends every event that has not been confirmed, oldest first.
func publishPending(store Store, bus Bus) error {
	events, err := store.Unconfirmed()
	if err != nil {
		return err
	}
	for _, event := range events {
		if err := bus.Publish(event); err != nil {
			return err
		}
		store.Confirm(event)
	}
	return nil
}
