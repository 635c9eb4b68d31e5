package models

// ConsoleState is what a node says of its serial console. To read it disturbs nobody.
type ConsoleState struct {
	// Interface is the node's console_interface; empty where Ironic tells none.
	Interface string `json:"console_interface"`
	Enabled   bool   `json:"console_enabled"`
	// LastError is why enabling or disabling failed, or anything else before it.
	LastError string `json:"last_error"`
}

// ConsoleAddress is how a console is reached.
type ConsoleAddress struct {
	// Enabled says whether it can be; where it cannot, there is nothing else.
	Enabled bool `json:"console_enabled"`
	Info    struct {
		// Type says what speaks there: socat (the bytes of the serial line), shellinabox, vnc.
		Type string `json:"type"`
		// URL may have a token in it that lets in whoever knows it.
		URL Secret `json:"url"`
	} `json:"console_info"`
}
